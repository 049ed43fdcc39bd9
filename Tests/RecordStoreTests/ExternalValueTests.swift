import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Large values of fields that are stored externally: files beside the store, and references in its records.
struct ExternalValueTests {
  @Test func `a large value lies in a file that is named after it, and its record holds a reference`() throws {
    try withPhotoStore { store in
      let image = Photos.bytes(200_000, seed: 1)
      try store.insertPhoto(1, image: image, thumbnail: image)
      let reference = try #require(ExternalReference(of: image))
      let folder = try #require(store.core.external)
      #expect(try Data(contentsOf: URL(filePath: folder.path(of: reference.name))) == image)
      #expect(try store.photo(1).value(of: store.field("image")) == .data(image))
      // The thumbnail is not to be stored externally.
      #expect(try store.photo(1).value(of: store.field("thumbnail")) == .data(image))
      #expect(try store.photo(1).byteCount < 201_000)
      #expect(try store.storedImage(1) == reference)
      #expect(try folder.placed().map(\.name) == [reference.name])
      let facts = try #require(try store.read { try $0.facts(fixtureID(1), of: 0) })
      #expect(facts.registers.contains { $0.value == .data(image) })
    }
  }

  @Test(arguments: [ExternalReference.canonicalByteCount - 1, ExternalReference.canonicalByteCount])
  func `from the threshold on a value lies beside the store`(byteCount: Int) throws {
    try withPhotoStore { store in
      let image = Photos.bytes(byteCount, seed: 2)
      try store.insertPhoto(1, image: image)
      #expect(try (store.storedImage(1) != nil) == (byteCount >= ExternalReference.canonicalByteCount))
      #expect(try store.image(1) == image)
    }
  }

  @Test func `equal values of many records are one file`() throws {
    try withPhotoStore { store in
      let image = Photos.bytes(300_000, seed: 3)
      for number in 1...5 { try store.insertPhoto(UInt64(number), image: image) }
      #expect(try store.core.external?.placed().count == 1)
    }
  }

  @Test func `a value that looks like a reference comes back as it was, whatever its field`() throws {
    try withPhotoStore { store in
      let foreign = try Data(#require(ExternalReference(of: Data("secret".utf8))).payload)
      try store.insertPhoto(1, image: foreign, thumbnail: foreign)
      #expect(try store.image(1) == foreign)
      #expect(try store.photo(1).value(of: store.field("thumbnail")) == .data(foreign))
      try store.save(.update(entity: 0, id: fixtureID(1), fields: [store.write("thumbnail", .data(Data("x".utf8)))]))
      try store.insertPhoto(2, image: nil, thumbnail: foreign, asDraft: true)
      #expect(try store.photo(2).value(of: store.field("thumbnail")) == .data(foreign))
    }
    let store = try RecordStore.open(StoreConfiguration(url: nil), schema: Photos.schema)
    let foreign = try Data(#require(ExternalReference(of: Data("secret".utf8))).payload)
    let error = #expect(throws: StoreError.self) { try store.insertPhoto(1, image: foreign) }
    #expect(error?.code == .invalidRequest)
  }

  @Test func `a store in memory keeps large values in its records`() throws {
    let store = try RecordStore.open(StoreConfiguration(url: nil), schema: Photos.schema)
    let image = Photos.bytes(400_000, seed: 4)
    try store.insertPhoto(1, image: image)
    #expect(try store.image(1) == image && store.storedImage(1) == nil)
  }

  @Test func `the same value again is no change, and another one is`() throws {
    try withPhotoStore { store in
      let image = Photos.bytes(200_000, seed: 5)
      try store.insertPhoto(1, image: image)
      let same = try store.commit(Photos.update(1, store, image: image))
      #expect(same.changes.isEmpty)
      let other = try store.commit(Photos.update(1, store, image: Photos.bytes(200_000, seed: 6)))
      #expect(try other.changes.map(\.fields) == [[store.field("image").ordinal]])
    }
  }

  @Test func `predicates, groups and distinct counts see the values`() throws {
    try withPhotoStore { store in
      let (image, other) = (Photos.bytes(200_000, seed: 7), Photos.bytes(200_000, seed: 8))
      for number in 1...3 { try store.insertPhoto(UInt64(number), image: number == 3 ? other : image) }
      let path = FieldPath(try store.field("image").ordinal)
      func found(_ filter: RecordFilter) throws -> [RecordID] {
        try store.read { try $0.identifiers(RecordQuery(entity: 0, filter: filter)) }.sorted()
      }
      #expect(try found(.compare(path, .equal, .data(image))) == [fixtureID(1), fixtureID(2)])
      #expect(try found(.compare(path, .notEqual, .data(image))) == [fixtureID(3)])
      #expect(try found(.oneOf(path, [.data(other), .data(Data())])) == [fixtureID(3)])
      let (low, high) = image.lexicographicallyPrecedes(other) ? (image, other) : (other, image)
      #expect(try found(.compare(path, .less, .data(high))).count == (low == image ? 2 : 1))
    }
  }

  @Test func `other devices get the value, and keep it beside their store`() throws {
    let family = try ReplicaFamily(count: 2, schema: Photos.schema)
    let image = Photos.bytes(250_000, seed: 9)
    try family.stores[0].store.insertPhoto(1, image: image)
    try family.exchangeAll()
    #expect(try family.stores[1].store.image(1) == image)
    #expect(try family.stores[1].store.storedImage(1) != nil)
    #expect(try family.dump(0) == family.dump(1))
    try family.check()
  }

  /// As a synchronisation brings them: in bytes.
  @Test func `a merge of encoded transactions takes the large values out of them`() throws {
    let family = try ReplicaFamily(count: 2, schema: Photos.schema)
    let (source, target) = (family.stores[0].store, family.stores[1].store)
    let images = (0..<4).map { Photos.bytes($0 % 2 == 0 ? 200_000 : 20, seed: 10 + UInt64($0)) }
    let changes = try images.enumerated().map { number, image in
      try RecordChange.insert(
        entity: 0, id: fixtureID(UInt64(number + 1)),
        fields: [source.write("name", .string("p\(number)")), source.write("image", .data(image))])
    }
    _ = try source.commit(SaveRequest(changes: changes))
    let types = try source.read { $0.catalogue }
    let encoded = try source.read { snapshot throws in
      var found: [EncodedTransaction] = []
      try snapshot.forEachOutgoing(after: 0) { outgoing in
        found.append(try EncodedTransaction(outgoing.encoded) { types.entities[$0].fields[$1].type })
        return true
      }
      return found
    }
    let origins = encoded.map {
      TransactionOrigin(
        dot: $0.head.dot, stamp: $0.head.stamp, author: $0.head.author, context: $0.head.context, once: $0.head.once)
    }
    let arrivals = EncodedArrivals(
      transactions: encoded,
      entities: [.init(number: 0, ordinals: types.entities[0].fields.indices.map { $0 })], reportedPrefix: [])
    _ = try target.commit(SaveRequest(.merge(MergeWork(origins, .encoded(arrivals)))))
    for (number, image) in images.enumerated() { #expect(try target.image(UInt64(number + 1)) == image) }
    #expect(try target.core.external?.placed().count == 2)
    #expect(try family.dump(0) == family.dump(1))
    try family.check()
  }

  @Test func `history tells the preserved value of a deleted record`() throws {
    try withPhotoStore { store in
      let image = Photos.bytes(200_000, seed: 20)
      try store.insertPhoto(1, image: image)
      try store.save(.delete(entity: 0, id: fixtureID(1)))
      let changes = try store.read { try $0.history(after: 1) }.flatMap(\.changes)
      #expect(changes.first?.preserved == [FieldWrite(try store.field("image").ordinal, .data(image))])
    }
  }

  @Test func `a missing file is an error that names record and field, and a violation`() throws {
    let temporary = try TemporaryStore(schema: Photos.schema)
    let store = temporary.store
    let image = Photos.bytes(200_000, seed: 21)
    try store.insertPhoto(1, image: image)
    let reference = try #require(try store.storedImage(1))
    let path = try #require(store.core.external).path(of: reference.name)
    // What somebody has, stays.
    let held = try #require(try store.image(1))
    try FileManager.default.removeItem(atPath: path)
    #expect(held == image)
    let error = #expect(throws: StoreError.self) { try store.photo(1) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("image of Photo \(fixtureID(1))") == true)
    #expect(storeErrorCode { try store.read { _ = try $0.fetch(RecordQuery(entity: 0)) } } == .damaged)
    #expect(storeErrorCode { try store.read { _ = try $0.facts(fixtureID(1), of: 0) } } == .damaged)
    #expect(try store.integrityViolations().count { $0.hasPrefix("invariant 20") } == 1)
    // A damaged one of the right length is found by the check.
    try Photos.bytes(200_000, seed: 22).write(to: URL(filePath: path))
    #expect(try store.integrityViolations().count { $0.hasPrefix("invariant 20") } == 1)
    // The same content again mends nothing that is there, so it goes first.
    try FileManager.default.removeItem(atPath: path)
    try store.insertPhoto(2, image: image)
    try temporary.check()
  }

  @Test func `a file that the system refuses to open is no damaged store`() throws {
    let temporary = try TemporaryStore(schema: Photos.schema)
    let image = Photos.bytes(200_000, seed: 24)
    try temporary.store.insertPhoto(1, image: image)
    let reference = try #require(try temporary.store.storedImage(1))
    let path = try #require(temporary.store.core.external).path(of: reference.name)
    try FileManager.default.removeItem(atPath: path)
    // A link to itself: the system goes round, and gives up.
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    let error = #expect(throws: StoreError.self) { try temporary.store.photo(1) }
    #expect(error?.code != .damaged && error?.message.contains("read a large value") == true)
  }

  @Test func `files have the rights of the store`() throws {
    for (isShared, file, folder) in [(false, 0o600, 0o700), (true, 0o660, 0o770)] {
      let temporary = try TemporaryStore(schema: Photos.schema) { $0.isSharedWithUserGroup = isShared }
      try temporary.store.insertPhoto(1, image: Photos.bytes(200_000, seed: 23))
      let item = try #require(try temporary.store.core.external?.placed().first)
      func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      }
      #expect(try mode(item.path) == file)
      #expect(try mode(URL(filePath: item.path).deletingLastPathComponent().path) == folder)
    }
  }
}

/// A schema of photographs, and what tests do with them.
enum Photos {
  static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Photo",
      attributes: [
        AttributeDefinition(name: "name", type: .string),
        AttributeDefinition(
          name: "image", type: .data, isOptional: true, preservesValueOnDeletion: true, isStoredExternally: true),
        AttributeDefinition(name: "thumbnail", type: .data, isOptional: true),
      ])
  ])

  static func bytes(_ count: Int, seed: UInt64) -> Data {
    // A process reads a value from any store that it has open: those of other suites have other values.
    SeededGenerator.bytes(count, ~seed)
  }

  static func update(_ number: UInt64, _ store: RecordStore, image: Data?) throws -> SaveRequest {
    SaveRequest(changes: [
      .update(
        entity: 0, id: fixtureID(number), fields: [try store.write("image", image.map { .data($0) } ?? .null)])
    ])
  }
}

func withPhotoStore(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (RecordStore) throws -> Void
) throws {
  try withTemporaryStore(schema: Photos.schema, sourceLocation: sourceLocation, body)
}

extension RecordStore {
  func field(_ name: String) throws -> CatalogueField {
    try #require(core.currentLayout.catalogue.entities[0].field(named: name))
  }

  func write(_ name: String, _ value: FieldValue) throws -> FieldWrite {
    FieldWrite(try field(name).ordinal, value)
  }

  func insertPhoto(_ number: UInt64, image: Data?, thumbnail: Data? = nil, asDraft: Bool = false) throws {
    let fields = try [
      write("name", .string("photo \(number)")), write("image", image.map { .data($0) } ?? .null),
      write("thumbnail", thumbnail.map { .data($0) } ?? .null),
    ].sorted { $0.ordinal < $1.ordinal }
    guard asDraft else {
      _ = try commit(SaveRequest(changes: [.insert(entity: 0, id: fixtureID(number), fields: fields)]))
      return
    }
    var work = LocalWork()
    let isDraft = work.drafts.append(fixtureID(number), DraftLayout(core.currentLayout.catalogue.entities[0]), fields)
    #expect(isDraft)
    _ = try commit(SaveRequest(.save(work)))
  }

  func photo(_ number: UInt64) throws -> RecordImage {
    try #require(try read { try $0.record(fixtureID(number), of: 0) })
  }

  func image(_ number: UInt64) throws -> Data? {
    guard case .data(let data) = try photo(number).value(of: field("image")) else { return nil }
    return data
  }

  /// The reference in a record; nil for a value that lies in it.
  func storedImage(_ number: UInt64) throws -> ExternalReference? {
    let ordinal = try field("image").ordinal
    return try photo(number).withView { $0.fieldBytes(at: ordinal).flatMap { ExternalReference(payload: $0) } }
  }
}
