import type { FindOptions } from 'sequelize';
import { Transaction } from 'sequelize';
import type { FieldFault } from '../../errors.ts';
import { notFound, validationError } from '../../errors.ts';
import { afterCommit, inTransaction } from '../../infrastructure/database/transaction.ts';
import { isIdentifier, newIdentifier } from '../../infrastructure/identifiers/identifier.ts';
import type { Vault } from '../../infrastructure/secrets/vault.ts';
import { parseAmount } from '../money.ts';
import type { Parts } from '../parts.ts';
import type { Platform } from '../platform.ts';
import { modes } from '../tenant.ts';
import { newWalletNumber, testBalanceCents, Wallet } from '../wallet/wallet.ts';
import { isName } from './name.ts';
import type { AddressSetting } from './payer.ts';
import { addressFaults, payerColumns, readTaxId } from './payer.ts';
import { Team } from './team.ts';

export interface TeamSettings {
  name: string;
  /** Percent of the base cost as a decimal string with at most four decimals, 0 to 100. */
  markupPercent: string;
  /** BRL decimal string. */
  feeAmount: string;
  alertEmail: string | null;
  /** CPF or CNPJ, with or without punctuation. */
  taxId: string | null;
  address: AddressSetting | null;
  /** Browser origins such as https://app.example.com. */
  corsDomains: string[];
}

export type TeamParts = Parts<Omit<TeamSettings, 'corsDomains' | 'address'>> & {
  readonly corsDomains?: readonly (string | undefined)[] | undefined;
  readonly address?: Parts<AddressSetting> | null | undefined;
};

const percentPattern = /^(0|[1-9]\d{0,2})(\.\d{1,4})?$/;
/** Mail would go elsewhere where there are characters in it that stand between addresses and around them. */
const emailPattern =
  /^[^\s@\p{C}<>()[\]:;,\\"]{1,64}@[^\s@\p{C}<>()[\]:;,\\"]{1,190}\.[^\s@.\p{C}<>()[\]:;,\\"]{2,60}$/u;
/** Of a host's name, in whatever script (RFC 5890, 2.3.1): an address with another is taken by no mail server. */
const hostLabel = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u;

function isMailAddress(text: string): boolean {
  const labels = text.slice(text.indexOf('@') + 1).split('.');
  return emailPattern.test(text) && labels.every((label) => hostLabel.test(label));
}

/** Of a scheme, the longest name of a host (RFC 1035, 2.3.4), and a port. */
const longestOrigin = 'https://'.length + 253 + ':65535'.length;

/** Whether text is an origin as browsers send it: scheme, host and port, nothing else, and no pattern of hosts. */
function isOrigin(text: string): boolean {
  // URLs have no longest host.
  if (text.length > longestOrigin) return false;
  try {
    const url = new URL(text);
    const isOfWeb = url.protocol === 'https:' || url.protocol === 'http:';
    return isOfWeb && url.origin === text && !url.hostname.includes('*');
  } catch {
    return false;
  }
}

/** The settings that are there and bad. */
export function teamFaults(settings: TeamParts): FieldFault[] {
  const { name, markupPercent, feeAmount, alertEmail, taxId, address, corsDomains } = settings;
  const faults: FieldFault[] = [];
  const check = (field: string, sound: boolean) => {
    if (!sound) faults.push({ field, type: 'invalid' });
  };
  if (name !== undefined) check('name', isName(name));
  if (markupPercent !== undefined) {
    check('markupPercent', percentPattern.test(markupPercent) && Number(markupPercent) <= 100);
  }
  if (feeAmount !== undefined) check('feeAmount', parseAmount(feeAmount) !== null);
  if (alertEmail !== undefined && alertEmail !== null) check('alertEmail', isMailAddress(alertEmail));
  if (taxId !== undefined && taxId !== null) check('taxId', readTaxId(taxId) !== null);
  if (address) faults.push(...addressFaults(address));
  if (corsDomains !== undefined) {
    const given = corsDomains.filter((origin) => origin !== undefined);
    check('corsDomains', corsDomains.length <= 50 && given.every(isOrigin));
  }
  return faults;
}

function columnsOf(settings: Partial<TeamSettings>, vault: Vault) {
  const { name, feeAmount, taxId, address, ...columns } = settings;
  return {
    ...columns,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(feeAmount === undefined ? {} : { feeCents: String(parseAmount(feeAmount)) }),
    ...payerColumns({ taxId, address }, vault),
  };
}

/** Creates an agency with its live and test wallets. @throws AppError 400 naming each bad setting. */
export async function createTeam(settings: TeamSettings, platform: Platform): Promise<Team> {
  const faults = teamFaults(settings);
  if (faults.length > 0) throw validationError(faults);
  const { sequelize } = platform;
  const createdAt = platform.clock.now();
  return inTransaction(sequelize, async () => {
    const team = await sequelize.getRepository(Team).create({
      id: newIdentifier('team'),
      ...columnsOf(settings, platform.vault),
      createdAt,
      updatedAt: createdAt,
    });
    await sequelize.getRepository(Wallet).bulkCreate(
      modes.map((mode) => ({
        id: newWalletNumber(),
        teamId: team.id,
        mode,
        balanceCents: mode === 'test' ? testBalanceCents.toString() : '0',
        heldCents: '0',
        eventCount: '0',
        createdAt,
      })),
    );
    return team;
  });
}

/**
 * @param options with a `lock` others are kept from it until the open transaction ends.
 * @throws AppError 404 for an unknown id.
 */
export async function findTeam(
  id: string,
  { sequelize }: Pick<Platform, 'sequelize'>,
  options: Pick<FindOptions, 'lock'> = {},
): Promise<Team> {
  const team = isIdentifier('team', id) ? await sequelize.getRepository(Team).findByPk(id, options) : null;
  if (!team) throw notFound('Team');
  return team;
}

/** Changes the settings that are given. @throws AppError 400 naming each bad setting, 404 for an unknown id. */
export async function updateTeam(
  id: string,
  changes: Partial<TeamSettings>,
  platform: Platform,
): Promise<Team> {
  const faults = teamFaults(changes);
  if (faults.length > 0) throw validationError(faults);
  return inTransaction(platform.sequelize, async () => {
    // A setting that is as it was read is not written: another change must not come in between.
    const team = await findTeam(id, platform, { lock: Transaction.LOCK.NO_KEY_UPDATE });
    await team.update({ ...columnsOf(changes, platform.vault), updatedAt: platform.clock.now() });
    afterCommit(() => platform.signals.publish('access', { hash: null }));
    return team;
  });
}

/** All agencies, oldest first. */
export async function listTeams(
  page: { offset: number; limit: number },
  { sequelize }: Platform,
): Promise<{ teams: Team[]; total: number }> {
  const { rows, count } = await sequelize.getRepository(Team).findAndCountAll({
    order: [
      ['createdAt', 'ASC'],
      ['id', 'ASC'],
    ],
    ...page,
  });
  return { teams: rows, total: count };
}
