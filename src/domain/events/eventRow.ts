import type { DomainEvent } from './event.ts';

/** An event as the table has it. */
export interface EventRow {
  id: string;
  sequence: string;
  type: string;
  team_id: string;
  subject_id: string;
  data: DomainEvent['data'];
  created_at: Date;
}

export function toEvent(row: EventRow): DomainEvent {
  return {
    id: row.id,
    sequence: BigInt(row.sequence),
    type: row.type,
    teamId: row.team_id,
    subjectId: row.subject_id,
    data: row.data,
    createdAt: row.created_at,
  };
}
