import { setFlagsFromString } from 'node:v8';

const options = [
  // How much a function of WebAssembly has to run (in bytes of its code) until V8 compiles it once more, for speed. With
  // V8's own 1.8 million a start of the embedded store makes it do so for much that hardly runs again: a quarter of all
  // that the start costs. Functions that matter get there all the same, within seconds.
  '--wasm-tiering-budget=100000000',
];

/**
 * Sets what V8 is to do otherwise than by itself, before anything is loaded: what it has kept of a program is only of use
 * under the options that it was made under. An engine that does not know one says so and goes on.
 */
export function setV8Options(): void {
  for (const option of options) setFlagsFromString(option);
}
