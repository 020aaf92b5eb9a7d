import { describe, expect, it } from 'vitest';
import { settingNames } from '../../src/config.ts';
import { misspeltSettings } from '../../src/misspeltSettings.ts';

describe('Settings', () => {
  it.each([
    ['RATE_LIMIT_SERACH', 'RATE_LIMIT_SEARCH'],
    ['ENCRYPTION_KEYS_PREVIOUS', 'ENCRYPTION_KEY_PREVIOUS'],
    ['WEBHOOK_RETRY_DELAY', 'WEBHOOK_RETRY_DELAYS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['ROLE', 'ROLES'],
    ['redis_url', 'REDIS_URL'],
  ])('seem meant by %s: %s', (variable, setting) => {
    expect(misspeltSettings({ [variable]: '1', PORT: '80' })).toEqual([{ variable, setting }]);
    expect(misspeltSettings({ [variable]: '', PORT: '80' })).toEqual([]);
    expect(misspeltSettings({ [variable]: '1', [setting]: '1' })).toEqual([]);
  });

  it('are not seen in what environments hold besides, nor in each other', () => {
    const others =
      'HOME HOST PORTS POST USER PATH NODE_ENV LOGNAME HTTP_PROXY HTTP_URL FTP_URL PGDATA REDIS_HOST';
    for (const name of [...others.split(' '), ...settingNames])
      expect(misspeltSettings({ [name]: '1' }), name).toEqual([]);
  });
});
