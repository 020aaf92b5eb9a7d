import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const moduleOf = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** Logs a mail, says that it is handed over, and dies. */
const program = `import { runnerImport } from 'vite';
  const { module: { createLog } } = await runnerImport(${moduleOf('../../src/infrastructure/observability/log.ts')});
  const { module: { createMailer } } = await runnerImport(${moduleOf('../../src/infrastructure/mail.ts')});
  const mail = { id: 'wh_0.1', to: 'ops@example.com', subject: 'An alert', text: 'Something happened.' };
  await createMailer({}, createLog('info')).send(mail, new AbortController().signal);
  process.kill(process.pid, 'SIGKILL');`;

it('mail without a server is in the log once it is handed over, even if the process is killed then', async () => {
  const [signal, output] = await new Promise<[unknown, string]>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', program], (error, stdout) =>
      resolve([error?.signal, stdout]),
    );
  });
  expect(signal).toBe('SIGKILL');
  expect(JSON.parse(output).mail).toEqual({
    id: 'wh_0.1',
    to: 'ops@example.com',
    subject: 'An alert',
    text: 'Something happened.',
  });
});
