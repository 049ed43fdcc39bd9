import LMDB

@testable import RecordStore

extension Harness {
  /// One record: its bytes with a right checksum, and before that the accessors over bytes that nobody checked.
  static let record = Harness("record", errors: [StoreError.self]) { bytes in
    let types = FieldType.allCases
    let id = RecordID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    bytes.withRawBytes { RecordHarness.readUnchecked($0) }
    var sealed = bytes
    guard let number = sealed.integer(at: RecordFormat.entityOffset) else { return }
    let checksum = sealed.withRawBytes { RecordFormat.checksum($0, id: id, entity: number) }
    sealed.put(checksum, at: RecordFormat.checksumOffset)
    // Each format begins at another type, as in its golden files.
    let turn = sealed[0] == RecordFormat.onceVersion ? 5 : 0
    let type = { (ordinal: Int) in types[(ordinal + turn) % types.count] }
    let facts = try sealed.withRawBytes { bytes throws in
      try RecordFacts(decoding: bytes, id: id, entity: number, type: type)
    }
    let fieldCount = sealed.withRawBytes { RecordView($0).fieldCount }
    let dangling = sealed.withRawBytes { bytes in
      (0..<fieldCount).filter { RecordView(bytes).isDangling(at: $0) }
    }
    let again = try RecordEncoding(facts, fieldCount: fieldCount, dangling: dangling).bytes()
    let decoded = try again.withRawBytes { bytes throws in
      try RecordFacts(decoding: bytes, id: id, entity: number, type: type)
    }
    try promise(
      try RecordEncoding(decoded, fieldCount: fieldCount, dangling: dangling).bytes() == again,
      "a record that was written and read again is another")
  }
}

private enum RecordHarness {
  /// What readers do with a record whose checksum was right, though its writer erred.
  static func readUnchecked(_ bytes: RawBytes) {
    let view = RecordView(bytes)
    _ = (view.entity, view.touch, view.deleted, view.isInserted, view.onceInserts)
    for ordinal in -1..<min(view.fieldCount, 64) + 1 {
      for type in FieldType.allCases {
        _ = view.value(at: ordinal, type: type)
        _ = view.registerValue(at: ordinal, type: type)
      }
      _ = (view.stamp(at: ordinal), view.isOnce(at: ordinal), view.registerReference(at: ordinal))
      _ = view.shortField(at: ordinal)?.count
    }
  }
}
