import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const moduleOf = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

/** Logs a mail, says that it is handed over, and dies. */
const programAt = (level: string) => `import { runnerImport } from 'vite';
  const { module: { createLog } } = await runnerImport(${moduleOf('../../src/infrastructure/observability/log.ts')});
  const { module: { createMailer } } = await runnerImport(${moduleOf('../../src/infrastructure/mail.ts')});
  const mail = { id: 'wh_0.1', to: 'ops@example.com', subject: 'An alert', text: 'Something happened.' };
  await createMailer({}, createLog('${level}')).send(mail, new AbortController().signal);
  process.kill(process.pid, 'SIGKILL');`;

it.each(['info', 'error', 'silent'])(
  'mail without a server is in the log at level %s once it is handed over, even if the process is killed then',
  async (level) => {
    const [signal, output] = await new Promise<[unknown, string]>((resolve) => {
      execFile(process.execPath, ['--input-type=module', '--eval', programAt(level)], (error, stdout) =>
        resolve([error?.signal, stdout]),
      );
    });
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(output)).toEqual({
      level: 40,
      time: expect.any(String),
      service: 'embarque',
      mail: { id: 'wh_0.1', to: 'ops@example.com', subject: 'An alert', text: 'Something happened.' },
      msg: 'no SMTP_URL: mail logged instead of sent',
    });
  },
);
