/** Events that an endpoint can subscribe to. A `ping` is sent to any of them, when its owner asks for it. */
export const eventNames = [
  'code.created',
  'code.updated',
  'code.deleted',
  'code.expiring',
  'scan.recorded',
] as const;
export type EventName = (typeof eventNames)[number];

export const deliveryEvents = [...eventNames, 'ping'] as const;
export type DeliveryEvent = (typeof deliveryEvents)[number];

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why an endpoint is disabled: its owner did it, it failed for three days, or it answered 410. */
export const disabledReasons = ['owner', 'failing', 'gone'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Days that the log of deliveries goes back. */
export const logDays = 30;
/** A page asks for whole days, which may begin almost a day earlier. */
export const replayDays = logDays + 1;
/** Longer than what can be replayed: scans whose delivery was purged would be sent as if they were new. */
export const keptDays = replayDays + 1;
