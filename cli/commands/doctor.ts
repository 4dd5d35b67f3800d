/** `pipeline doctor`: what is wrong, why, and what to do; `--fix` does what cannot lose anything. */
import type { Command } from 'commander';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommandModule, CommonOptions } from '../command.js';

interface DoctorFlags extends CommonOptions {
  readonly fix?: boolean;
}

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .option('--fix', 'repair what can be repaired without losing anything: the index is rebuilt from the notes')
      .addHelpText('after', '\nExamples:\n  pipeline doctor\n  pipeline doctor --fix\n  pipeline doctor --json')
      .action(async (flags: DoctorFlags) => {
        process.exitCode = await run(flags);
      });
  },
};

async function run(flags: DoctorFlags): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { examine } = await import('../../workspace/doctor/doctor.js');
  const output = new Output(flags);
  const look = async (workspace: Workspace): Promise<number> => {
    const findings = await examine(workspace, flags.fix ?? false);
    if (output.wantsJson) await output.json(findings);
    else
      for (const { check, ok, fixed, symptom, cause, fix } of findings) {
        await output.line(`${ok ? 'ok   ' : fixed ? 'fixed' : 'FAIL '} ${check}${symptom ? `: ${symptom}` : ''}`);
        if (!ok && !fixed) await output.line(`      ${cause} ${fix}`);
      }
    return findings.every((finding) => finding.ok || finding.fixed) ? 0 : 1;
  };
  // Whoever only looks makes nothing: neither a file nor a table on a server.
  return withWorkspace(flags, look, { readOnly: !flags.fix });
}
