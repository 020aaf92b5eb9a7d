import type { Sequelize } from 'sequelize';
import { QueryTypes } from 'sequelize';

/**
 * Reads what may take minutes, as what goes through all of a table does: on a connection that nobody else reads on meanwhile,
 * where it is asked once, and, unless patience has ended (`Database.endPatience`), for as long as the server lets others in. A
 * statement that is `run` is given up as no request should wait for it.
 */
export const readAtLength = <Row extends object>(
  sequelize: Sequelize,
  text: string,
  values: unknown[],
): Promise<Row[]> => sequelize.query<Row>(text, { bind: values, type: QueryTypes.SELECT });
