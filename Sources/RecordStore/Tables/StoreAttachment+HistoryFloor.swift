extension StoreAttachment {
  /// Deletes history up to and including `number` for readers.
  package static func historyFloor(_ number: UInt64) -> StoreAttachment {
    var value: [UInt8] = []
    value.append(bigEndian: number)
    return StoreAttachment(key: StoreSnapshot.historyFloorKey, value: value)
  }
}
