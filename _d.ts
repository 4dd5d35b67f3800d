import { serveSamples } from './cli/demo/server.js';
import { prepareDemoVault } from './cli/demo/prepare.js';
import { withWorkspace } from './cli/open.js';
import { rmSync } from 'node:fs';
(async () => {
  rmSync('/tmp/wd', {recursive:true, force:true}); rmSync('/tmp/wds', {recursive:true, force:true});
  const server = await serveSamples('/work/wt/web/fixtures/demo');
  prepareDemoVault('/tmp/wd', '/work/wt/web/fixtures/demo', server.base);
  await withWorkspace({ vault: '/tmp/wd' } as any, async (w) => {
    const r = await w.run('ingest', { chain: false, observers: [{ stage: (e) => console.log(Date.now()%100000, e.stage, e.in, e.out, Math.round(e.ms)), settled: (e) => console.log('  settled', e.outcome, e.stage, e.reason ?? '', (e.item.data as any).title ?? '') , notice: (c,m)=>console.log('notice',c,m)}] });
    console.log(JSON.stringify(r.report.dropped), r.report.failed, r.report.seconds, r.report.stages);
  }, { stateDir: '/tmp/wds' });
  await server.close();
})();
