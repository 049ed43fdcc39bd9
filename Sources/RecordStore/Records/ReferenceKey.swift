/// Keys of an index whose first component is a reference.
enum ReferenceKey {
  /// How the key of an index begins whose first component is a reference to `id`.
  static func prefix(_ id: RecordID) -> [UInt8] {
    var encoder = KeyEncoder()
    encoder.append(.reference(id))
    return encoder.take()
  }
}
