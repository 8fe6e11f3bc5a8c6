
/** The model as it moves along its sequence: each step takes the next positions. */
export interface Stream {
  /** A step takes a multiple of so many positions. */
  readonly stride: number;
  /** Outputs come so many positions later: the first are zeros. */
  readonly latency: number;
  /** Starts at position 0, with the inputs that do not move along the sequence; a stream without such has begun. */
  begin(inputs?: Partial<Inputs>): void;
  /** Takes the next positions, and gives what the whole sequence would give there. */
  step(inputs: Partial<Inputs>): Outputs;
  /** The sequence has ended: gives so many of the positions that are still to come. */
  finish(positions: number): Outputs;
  /** A row of the batch starts again at position 0. */
  reset(row: number): void;
  /** How many positions a row has taken; -1 where there is no such row. */
  position(row: number): number;
  /** Another stream that goes on from where this one stands. */
  copy(): Stream;
  close(): void;
}
