/// A record's id with its entity. Keys rise as rows lie in the store.
package struct RecordKey: Hashable, Comparable, Sendable {
  package let entity: EntityNumber
  package let id: RecordID

  package init(entity: EntityNumber, id: RecordID) {
    self.entity = entity
    self.id = id
  }

  // Ids are random in their low half; the rest only has to be equal for equal keys.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(id.low ^ id.high &+ UInt64(truncatingIfNeeded: entity))
  }

  package static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.entity != right.entity ? left.entity < right.entity : left.id < right.id
  }
}

extension RecordFacts {
  package var key: RecordKey { RecordKey(entity: entity, id: id) }
}
