import { closestMatch } from 'leven';
import { type Environment, settingNames } from './config.ts';

/** PORT is like much that an environment has; of as many characters as here, one may be wrong. */
const charactersPerSlip = 6;

const mostSlips = 2;

/** A variable that is no setting. */
export interface MisspeltSetting {
  readonly variable: string;
  /** The setting that it is like. */
  readonly setting: string;
}

/**
 * What seems meant for a setting and is read by nobody. An environment holds the variables of others too, so this is no
 * reason to refuse a start; one beside the setting that it is like is taken for such.
 */
export function misspeltSettings(environment: Environment): MisspeltSetting[] {
  const isSet = (name: string) => Boolean(environment[name]);
  const missing = settingNames.filter((name) => !isSet(name));
  return Object.keys(environment)
    .filter(isSet)
    .flatMap((variable) => {
      const setting = settingLike(variable.toUpperCase(), missing);
      return setting === undefined ? [] : [{ variable, setting }];
    });
}

function settingLike(name: string, settings: readonly string[]): string | undefined {
  const plural = `${name}S`;
  if (settings.includes(plural)) return plural;
  const maxDistance = Math.min(Math.floor(name.length / charactersPerSlip), mostSlips);
  return maxDistance === 0 ? undefined : closestMatch(name, settings, { maxDistance });
}
