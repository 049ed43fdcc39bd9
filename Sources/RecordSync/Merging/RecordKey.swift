import RecordStore

/// A record of one entity, as a dictionary's key.
struct RecordKey: Hashable, Comparable, Sendable {
  var entity: EntityNumber
  var id: RecordID

  static func < (left: RecordKey, right: RecordKey) -> Bool {
    left.entity != right.entity ? left.entity < right.entity : left.id < right.id
  }
}

extension RecordFacts {
  var key: RecordKey { RecordKey(entity: entity, id: id) }

  func register(at ordinal: Int) -> Register? {
    let index = registers.partitionIndex { $0.ordinal >= ordinal }
    return index < registers.count && registers[index].ordinal == ordinal ? registers[index] : nil
  }
}
