import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<Map<string, unknown>>();

/** Contexts whose work is under way. */
let unfinished = 0;
let isClosing = false;

/** How long no transaction was open before the following of contexts is put to rest. */
const restMs = 1_000;

/** While contexts are followed, every promise of the process costs more: a tenth of a read's time, all in all. */
function finish(): void {
  unfinished -= 1;
  if (unfinished > 0 || isClosing) return;
  isClosing = true;
  setTimeout(() => {
    isClosing = false;
    if (unfinished === 0) storage.disable();
  }, restMs).unref();
}

/** For `Sequelize.useCLS`: the open transaction of the present asynchronous context, under the key `transaction`. */
export const transactionContext = {
  get: (key: string): unknown => storage.getStore()?.get(key),
  set: (key: string, value: unknown): void => void storage.getStore()?.set(key, value),
  run: (work: (context: unknown) => unknown): void => {
    const context = new Map(storage.getStore() ?? []);
    unfinished += 1;
    Promise.resolve(storage.run(context, work, context)).then(finish, finish);
  },
  bind: <Work>(work: Work): Work => work,
};
