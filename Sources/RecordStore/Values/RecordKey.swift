/// Names a record inside one store.
struct RecordKey: Hashable {
  let entity: EntityNumber
  let id: RecordID

  // Ids are random in their low half; the rest only has to be equal for equal keys.
  func hash(into hasher: inout Hasher) { hasher.combine(id.low ^ id.high &+ UInt64(truncatingIfNeeded: entity)) }
}
