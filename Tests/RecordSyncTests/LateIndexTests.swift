import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// An index that a later schema adds over large values, some of which have not come yet.
struct LateIndexTests {
  private typealias Album = LargeValueTests.Album

  /// Of a length that no other suite uses, for a process reads a value from any store that it has open.
  private static func bytes(_ seed: UInt64) -> Data { SeededGenerator.bytes(141_000, seed) }

  private static func schema(isUnique: Bool) -> StoreSchema {
    var schema = Album.schema
    schema.version = SchemaVersion(2, 0, 0)
    if isUnique {
      schema.entities[0].uniquenessConstraints = [["image"]]
    } else {
      schema.entities[0].indexes = [IndexDefinition("image")]
    }
    return schema
  }

  /// The records that a comparison with the value finds, with the index where there is one.
  private func found(_ comparison: RecordFilter.Comparison, _ image: Data, in album: Album) throws -> [RecordID] {
    let store = album.replicas[1].store
    return try store.read { snapshot in
      let entity = try #require(snapshot.catalogue.entity(named: "Photo"))
      let path = try FieldPath(#require(entity.field(named: "image")).ordinal)
      return try snapshot.identifiers(
        RecordQuery(entity: entity.number, filter: .compare(path, comparison, .data(image)))
      ).sorted()
    }
  }

  private func takeAway(_ album: Album) throws -> [(file: URL, content: Data)] {
    try album.valueFiles().map { file in
      let content = try Data(contentsOf: file)
      try FileManager.default.removeItem(at: file)
      return (file, content)
    }
  }

  private func bringBack(_ files: [(file: URL, content: Data)]) throws {
    for (file, content) in files {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: file)
    }
  }

  /// A process reads values from any store that it has open, so the author's files go, and no two cases share values.
  private func forget(_ index: Int, in album: Album) throws {
    try FileManager.default.removeItem(at: album.replicas[index].store.url.appending(path: "blobs"))
  }

  @Test(arguments: [false, true])
  func `an index that is made while values are awaited holds their records once they have come`(
    isUnique: Bool
  ) async throws {
    let album = try Album()
    let (first, second) = (Self.bytes(isUnique ? 1 : 3), Self.bytes(isUnique ? 2 : 4))
    try album.insert(1, first, on: 0)
    try album.insert(2, second, on: 0)
    try await album.sync(0)
    let files = try takeAway(album)
    try await album.sync(1)
    try forget(0, in: album)
    try album.replicas[1].store.migrate(to: Self.schema(isUnique: isUnique))
    try album.replicas[1].temporary.check()
    for comparison in [RecordFilter.Comparison.equal, .less, .greaterOrEqual] {
      #expect(try found(comparison, first, in: album).isEmpty, "nothing is known of a value that has not come")
    }
    #expect(try found(.less, Data([0xFF]), in: album).isEmpty)
    try bringBack(files)
    let report = try #require(try await album.sync(1).first)
    #expect(report.valuesReceived == 2 && report.isComplete, "\(report)")
    #expect(try found(.equal, first, in: album) == [fixtureID(1)])
    #expect(try found(.equal, second, in: album) == [fixtureID(2)])
    #expect(try found(.lessOrEqual, first, in: album).contains(fixtureID(1)))
    try album.replicas[1].temporary.check()
    // The entries go as they came.
    try album.update(1, nil, on: 1)
    try album.update(2, first, on: 1)
    #expect(try found(.equal, first, in: album) == [fixtureID(2)])
    #expect(try found(.equal, second, in: album).isEmpty)
    try album.replicas[1].temporary.check()
  }

  @Test func `a value that lost its file has its entry again when it comes back`() async throws {
    let album = try Album()
    let (image, other) = (Self.bytes(5), Self.bytes(6))
    try album.insert(1, image, on: 0)
    try album.insert(2, image, on: 0)
    try await album.sync(0, 1)
    try album.replicas[1].store.migrate(to: Self.schema(isUnique: false))
    let reference = try #require(ExternalReference(of: image))
    let files = try takeAway(album)
    try forget(0, in: album)
    try FileManager.default.removeItem(
      atPath: #require(album.replicas[1].store.externalFolder).path(of: reference.name))
    // A save takes an entry away that it cannot name without the value.
    try album.update(2, other, on: 1)
    album.replicas[1].clock.advance(byMilliseconds: 86_400_001)
    try await album.sync(1)
    try bringBack(files)
    let report = try #require(try await album.sync(1).first)
    #expect(report.valuesReceived == 1, "\(report)")
    #expect(try found(.equal, image, in: album) == [fixtureID(1)])
    #expect(try found(.equal, other, in: album) == [fixtureID(2)])
    try album.replicas[1].temporary.check()
  }

  /// The answers of a store to questions that an index over the value may answer.
  private struct Answers: Hashable {
    var sorted: [RecordID] = []
    var descending: [RecordID] = []
    var firstTwo: [RecordID] = []
    var byName: [RecordID] = []
    var counts: [AggregateRow] = []
    var groups: Set<AggregateRow> = []
    var having: Set<RecordID> = []
    var lacking: Set<RecordID> = []

    init(of store: RecordStore) throws {
      self = try store.read { snapshot in
        let entity = try #require(snapshot.catalogue.entity(named: "Photo"))
        let path = try FieldPath(#require(entity.field(named: "image")).ordinal)
        let name = try FieldPath(#require(entity.field(named: "name")).ordinal)
        let all = RecordQuery(entity: entity.number)
        var sorted = all
        // Equal values, and such that have not come, are told apart by the name.
        sorted.sort = [RecordQuery.SortKey(path), RecordQuery.SortKey(name)]
        var descending = all
        descending.sort = [RecordQuery.SortKey(path, isDescending: true), RecordQuery.SortKey(name)]
        var firstTwo = sorted
        firstTwo.limit = 2
        var byName = all
        byName.sort = [RecordQuery.SortKey(name), RecordQuery.SortKey(path)]
        var answers = Answers()
        answers.sorted = try snapshot.identifiers(sorted)
        answers.descending = try snapshot.identifiers(descending)
        answers.firstTwo = try snapshot.identifiers(firstTwo)
        answers.byName = try snapshot.identifiers(byName)
        answers.counts = try snapshot.aggregate(
          AggregateQuery(all, functions: [.count, .countValues(path), .countDistinct(path)]))
        answers.groups = Set(try snapshot.aggregate(AggregateQuery(all, keys: [path], functions: [.count])))
        answers.having = Set(
          try snapshot.identifiers(RecordQuery(entity: entity.number, filter: .compare(path, .notEqual, .null))))
        answers.lacking = Set(
          try snapshot.identifiers(RecordQuery(entity: entity.number, filter: .compare(path, .equal, .null))))
        return answers
      }
    }

    private init() {}
  }

  /// Replica 1 makes the index while values are awaited, replica 2 never: both answer alike all the time.
  @Test func `counts, groups and orders by awaited values are those of a store without the index`() async throws {
    let album = try Album(count: 3)
    let images = (0..<5).map { Self.bytes(1_000 + $0) }
    for (index, image) in images.enumerated() { try album.insert(UInt64(index + 1), image, on: 0) }
    try album.insert(6, images[2], on: 0)
    try album.insert(7, nil, on: 0)
    try album.insert(8, Data([0x7F]), on: 0)
    try await album.sync(0)
    let files = try takeAway(album)
    try await album.sync(1, 2)
    try forget(0, in: album)
    try album.replicas[1].store.migrate(to: Self.schema(isUnique: false))
    func expectAlike(_ state: String) throws {
      let (indexed, plain) = (try Answers(of: album.replicas[1].store), try Answers(of: album.replicas[2].store))
      #expect(indexed == plain, "\(state)")
      #expect(Set(indexed.sorted).count == 8 && indexed.sorted.count == 8, "\(state)")
      #expect(Set(indexed.descending).count == 8 && indexed.descending.count == 8, "\(state)")
      #expect(indexed.firstTwo == Array(indexed.sorted.prefix(2)), "\(state)")
      #expect(indexed.counts.first?.values.first == .count(8), "\(state)")
      try album.replicas[1].temporary.check()
    }
    try expectAlike("all are awaited")
    try bringBack(Array(files.prefix(2)))
    try await album.sync(1, 2)
    try expectAlike("two have come")
    try album.update(1, Data([0x10]), on: 0)
    try await album.sync(0, 1, 2)
    try expectAlike("one was replaced")
    try bringBack(files)
    try await album.sync(1, 2)
    try expectAlike("all have come")
    let values = [Data([0x10]), images[1], images[2], images[3], images[4], images[2], nil, Data([0x7F])]
    let order = (1...8).sorted { left, right in
      let (first, second) = (values[left - 1], values[right - 1])
      guard let first, let second, first != second else {
        return first == second ? left < right : first == nil
      }
      return first.lexicographicallyPrecedes(second)
    }
    #expect(try Answers(of: album.replicas[1].store).sorted == order.map { fixtureID(UInt64($0)) })
  }

  @Test func `a run that stops anywhere between values and entries is ended by the next one`() async throws {
    var point = 1
    while true {
      let album = try Album()
      let image = Self.bytes(100 + UInt64(point))
      try album.insert(1, image, on: 0)
      try await album.sync(0)
      let files = try takeAway(album)
      try await album.sync(1)
      try forget(0, in: album)
      try album.replicas[1].store.migrate(to: Self.schema(isUnique: true))
      try bringBack(files)
      let isStopped = try await isStopped(at: point) { try await album.sync(1) }
      try await album.sync(1)
      #expect(try found(.equal, image, in: album) == [fixtureID(1)], "after a stop at point \(point)")
      try album.replicas[1].temporary.check()
      guard isStopped else { break }
      point += 1
    }
    #expect(point > 5)
  }
}
