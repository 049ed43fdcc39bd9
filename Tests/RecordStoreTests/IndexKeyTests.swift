import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

@Suite struct IndexKeyTests {
  /// A commit removes an entry by the key of the values and adds one by the key of the bytes: they must agree.
  @Test func `a record's bytes and its values give the same entry`() throws {
    var generator = SeededGenerator.announced()
    let catalogue = QueryFixture.catalogue(isIndexed: true)
    for record in QueryFixture.records(using: &generator) {
      let entity = catalogue.entities[record.entity]
      let bytes = try encoded(record)
      for index in entity.indexes {
        var encoder = KeyEncoder()
        let isUnique = bytes.withRawBytes {
          IndexKey(index, of: entity).encode(RecordView($0), id: record.id, into: &encoder)
        }
        var key: [UInt8] = []
        let hasNull = IndexKey.append(index, to: &key) { ordinal in
          if record.dangling.contains(ordinal) { return .null }
          return record.values[ordinal] ?? entity.fields[ordinal].valueWhenAbsent
        }
        #expect(isUnique == (index.isUnique && !hasNull))
        if !isUnique { record.id.append(to: &key) }
        #expect(encoder.bytes == key)
        #expect(key.count <= index.keyLimit.keyByteCount)
        #expect(try entryID(key, isUnique ? record.id : nil) == record.id)
      }
    }
  }

  @Test func `an entry that names no record is refused`() {
    for (key, value) in [([], []), ([1, 2, 3], []), ([UInt8](repeating: 0, count: 40), [1])] as [([UInt8], [UInt8])] {
      let error = #expect(throws: StoreError.self) {
        _ = try key.withRawBytes { (key: RawBytes) throws -> RecordID in
          try value.withRawBytes { (value: RawBytes) throws -> RecordID in
            try IndexKey.recordID(key: key, value: value)
          }
        }
      }
      #expect(error?.code == .damaged)
    }
  }

  @Test func `a null among the values has no unique key`() throws {
    let index = CatalogueIndex(number: 0, isUnique: true, components: [.init(ordinal: 0), .init(ordinal: 1)])
    #expect(IndexKey.uniqueKey(index, [.int(1), .null]) == nil)
    #expect(IndexKey.uniqueKey(index, [.int(1)]) == nil)
    #expect(IndexKey.uniqueKey(index, [.int(1), .bool(true)]) == key(.int(1)) + key(.bool(true)))
  }

  @Test func `the key after all that begin with a prefix is the least one above them`() {
    #expect(([1, 2] as [UInt8]).successor == [1, 3])
    #expect(([1, 0xFF] as [UInt8]).successor == [2])
    #expect(([0xFF, 0xFF] as [UInt8]).successor == nil)
    #expect(([] as [UInt8]).successor == nil)
  }

  private func encoded(_ record: QueryFixture.Record) throws -> [UInt8] {
    let registers = record.values.enumerated().compactMap { ordinal, value in
      value.map { RecordFacts.Register(ordinal: ordinal, value: $0, stamp: .zero) }
    }
    let facts = RecordFacts(entity: record.entity, id: record.id, isInserted: true, registers: registers)
    return try RecordEncoding(facts, dangling: record.dangling.sorted()).bytes()
  }

  private func entryID(_ key: [UInt8], _ value: RecordID?) throws -> RecordID {
    var bytes: [UInt8] = []
    value?.append(to: &bytes)
    return try key.withRawBytes { (key: RawBytes) throws -> RecordID in
      try bytes.withRawBytes { (value: RawBytes) throws -> RecordID in
        try IndexKey.recordID(key: key, value: value)
      }
    }
  }
}
