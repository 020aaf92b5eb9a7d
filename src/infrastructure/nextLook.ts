import type { Clock } from './clock.ts';

/** A look for what falls due, planned for the earliest of the moments that it was told of. */
export class NextLook {
  readonly #clock: Clock;
  readonly #look: () => void;
  #planned: { readonly atMs: number; cancel(): void } | null = null;
  #stopped = false;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Something falls due then; with null, nothing does. */
  at(dueAt: Date | null): void {
    if (dueAt === null || this.#stopped) return;
    const atMs = dueAt.getTime();
    if (this.#planned && this.#planned.atMs <= atMs) return;
    this.#planned?.cancel();
    const waitMs = Math.max(atMs - this.#clock.now().getTime(), 0);
    const cancel = this.#clock.schedule(waitMs, () => {
      this.#planned = null;
      this.#look();
    });
    this.#planned = { atMs, cancel };
  }

  /** Plans nothing any more. */
  stop(): void {
    this.#stopped = true;
    this.#planned?.cancel();
  }
}
