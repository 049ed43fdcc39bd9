import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The quick reader of catalogues beside Foundation's decoder.
@Suite struct CatalogueReaderTests {
  /// Every kind of member, with values and without.
  private var rich: Catalogue {
    let defaults: [FieldValue?] = [
      nil, .bool(true), .int(.min), .uint(.max), .double(-.infinity), .string("Їжак, \u{1F994}"), .string(""),
    ]
    let fields = defaults.enumerated().map { ordinal, value in
      CatalogueField(
        ordinal: ordinal, name: "поле \(ordinal)", previousNames: ordinal == 1 ? ["a", "b"] : [],
        type: value?.type ?? .reference, isOptional: ordinal.isMultiple(of: 2), isDeclared: ordinal != 3,
        defaultValue: value, preservesValueOnDeletion: ordinal == 4, isStoredExternally: ordinal == 5,
        destination: ordinal == 0 ? "Other" : nil, isSparse: ordinal == 6)
    }
    let storages: [CatalogueRelationship.Storage] = [
      .reference(ordinal: 0), .inverse(entity: 1, ordinal: 0), .join(entity: 1, near: 0, far: 0),
    ]
    let relationships = storages.enumerated().map { number, storage in
      CatalogueRelationship(
        name: "r\(number)", destination: "Other", isToMany: number > 0, isOptional: true, deleteRule: .cascade,
        inverse: number == 1 ? "back" : nil, minimumCount: 1, maximumCount: 7, storage: storage)
    }
    let index = CatalogueIndex(
      number: 3, isUnique: true, components: [.init(ordinal: 1), .init(ordinal: 2, isDescending: true)])
    let people = CatalogueIndex(
      number: 2, isUnique: false, components: [.init(ordinal: 5, isDescending: true, isForPeople: true)])
    let other = CatalogueField(ordinal: 0, name: "owner", type: .reference, isOptional: true, destination: "First")
    return Catalogue(
      generation: .max, schemaVersion: SchemaVersion(2, 0, 1),
      entities: [
        CatalogueEntity(
          number: 0, name: "First", previousNames: ["Zero"], fields: fields, relationships: relationships,
          indexes: [index, people], fieldGroups: [[1, 2], []]),
        CatalogueEntity(
          number: 1, name: "Other", superentity: "First", isDeclared: false, isJoin: true, fields: [other],
          deleteIsFinal: true),
      ], nextIndexNumber: 4, leastVersion: SchemaVersion(1, 9, 0))
  }

  /// What follows generation, checksum and format.
  private func json(_ catalogue: Catalogue) throws -> [UInt8] {
    Array(try CatalogueTable.encode(catalogue).dropFirst(13))
  }

  private func read(_ json: [UInt8]) -> Catalogue? { json.withRawBytes { CatalogueReader.read($0) } }

  private func readAnyhow(_ json: [UInt8]) throws -> Catalogue {
    try json.withRawBytes { (bytes: RawBytes) throws -> Catalogue in try CatalogueTable.decodeAnyhow(bytes) }
  }

  private func decoded(_ entry: [UInt8]) throws -> Catalogue {
    try entry.withRawBytes { (bytes: RawBytes) throws -> Catalogue in try CatalogueTable.decode(bytes) }
  }

  @Test func `a catalogue of common types is read without the general decoder, and alike`() throws {
    for catalogue in [rich, QueryFixture.catalogue(isIndexed: true), Catalogue()] {
      #expect(try read(json(catalogue)) == catalogue)
    }
  }

  @Test func `a catalogue that was read before is the same, and each flipped bit in it is found as ever`() throws {
    let bytes = try CatalogueTable.encode(rich)
    for _ in 0..<2 { #expect(try decoded(bytes) == rich) }
    for place in bytes.indices {
      var flipped = bytes
      flipped[place] ^= 1
      #expect(throws: StoreError.self, "byte \(place)") { try decoded(flipped) }
    }
    #expect(try decoded(bytes) == rich)
  }

  @Test func `of results the last eight are kept`() {
    let results = RecentResults<Int>()
    for number in 0..<20 { results.add(number) }
    #expect(results.first { _ in true } == 19)
    #expect((0..<20).filter { number in results.first { $0 == number } != nil } == Array(12..<20))
  }

  @Test func `names with escapes and defaults of rare types are left to the general decoder`() throws {
    var escaped = rich
    escaped.entities[0].name = "a/b\n"
    var rare = rich
    rare.entities[0].fields[0].defaultValue = .decimal(1.5)
    for catalogue in [escaped, rare] {
      #expect(try read(json(catalogue)) == nil)
      #expect(try decoded(CatalogueTable.encode(catalogue)) == catalogue)
    }
  }

  @Test func `members in another order, or twice, are left to the general decoder`() throws {
    let text = String(decoding: try json(Catalogue()), as: UTF8.self)
    let version = #""schemaVersion":{"major":1,"minor":0,"patch":0}"#
    #expect(text.contains(version))
    let turned = text.replacing(version, with: #""schemaVersion":{"minor":0,"major":1,"patch":0}"#)
    let doubled = text.replacing(version, with: #""schemaVersion":{"major":1,"major":1,"minor":0,"patch":0}"#)
    for changed in [turned, doubled] { #expect(read(Array(changed.utf8)) == nil) }
    #expect(try readAnyhow(Array(turned.utf8)) == Catalogue())
  }

  @Test func `numbers are read up to their limits, and no further`() throws {
    for number in [Int.min, -1, 0, 9, 10, Int.max] {
      var catalogue = Catalogue()
      catalogue.nextIndexNumber = number
      #expect(try read(json(catalogue)) == catalogue)
    }
    let text = String(decoding: try json(Catalogue()), as: UTF8.self)
    let known = #""nextIndexNumber":0"#
    #expect(text.contains(known))
    for number in ["9223372036854775808", "-9223372036854775809", "-0", "00", "07", "-", "", "+1", "1e3", "1.0"] {
      let changed = text.replacing(known, with: #""nextIndexNumber":"# + number)
      #expect(read(Array(changed.utf8)) == nil, "\(number)")
    }
  }

  @Test func `no prefix of a catalogue is read`() throws {
    let whole = try json(rich)
    for count in 0..<whole.count {
      #expect(read(Array(whole[..<count])) == nil)
    }
  }

  /// What is read of a damaged text is what the general decoder makes of it.
  @Test func `a text with changed bytes is read alike or not at all`() throws {
    var generator = SeededGenerator.announced()
    let whole = try json(rich)
    let spare = Array("{}[]\",:\\-0129.e truefalsn".utf8) + [0, 0x80, 0xFF]
    var count = 0
    for _ in 0..<500 {
      var changed = whole
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let place = Int.random(in: 0..<changed.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: changed.remove(at: place)
        case 1: changed.insert(spare.randomElement(using: &generator)!, at: place)
        default: changed[place] = spare.randomElement(using: &generator)!
        }
      }
      guard let found = read(changed) else { continue }
      count += 1
      // As texts: a default that became not-a-number is not even equal to itself.
      #expect(try json(readAnyhow(changed)) == json(found))
    }
    // A changed letter or digit leaves a sound text.
    #expect(count > 0)
  }
}
