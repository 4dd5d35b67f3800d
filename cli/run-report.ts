/** Prints run reports: JSON for machines, one summary line and what went wrong for people. */
import type { RunReport } from '../runner/observe.js';
import type { Output } from './output.js';

/** Exit code of a finished run: 1 when some items failed. */
export function exitCodeOf(reports: readonly RunReport[]): 0 | 1 {
  return reports.some((r) => r.failed.length > 0) ? 1 : 0;
}

/** Prints the report of a run and of the pipelines that followed it. */
export async function printReport(
  output: Output,
  report: RunReport,
  followed: readonly RunReport[] = [],
): Promise<void> {
  if (output.wantsJson) {
    const { reports, ...rest } = report;
    await output.json({
      ...rest,
      ...(Object.keys(reports).length > 0 ? { reports } : {}),
      ...(followed.length > 0 ? { followed } : {}),
    });
    return;
  }
  for (const one of [report, ...followed]) {
    for (const { message } of one.notices) await output.info(`note: ${message}`);
    for (const { id, stage, reason } of one.failed) await output.info(`failed: ${id} in ${stage}: ${reason}`);
    await output.line(summaryLine(one));
  }
}

/** `ingest: 40 in, 31 written, 6 duplicate, 2 below-threshold, 1 failed in 2.1 s` */
export function summaryLine(report: RunReport): string {
  const parts = [`${report.in} in`, `${report.out} out`, `${report.written} written`];
  for (const [reason, count] of Object.entries(report.dropped)) parts.push(`${count} ${reason}`);
  if (report.failed.length > 0) parts.push(`${report.failed.length} failed`);
  if (report.interrupted) parts.push('interrupted');
  return `${report.pipeline}: ${parts.join(', ')} in ${report.seconds.toFixed(1)} s`;
}
