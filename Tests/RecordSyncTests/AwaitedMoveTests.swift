import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// Large values that are awaited while their class and property get other names.
struct AwaitedMoveTests {
  private static let renamed = StoreSchema(
    version: SchemaVersion(2, 0, 0),
    entities: [
      EntityDefinition(
        name: "Picture", originalName: "Photo",
        attributes: [
          AttributeDefinition(name: "name", type: .string),
          AttributeDefinition(
            name: "content", originalName: "image", type: .data, isOptional: true, isStoredExternally: true),
        ])
    ])

  /// The author's own files go, for a process reads a value from any store that it has open.
  private func takeAway(_ album: LargeValueTests.Album, from author: Int) throws -> [(URL, Data)] {
    let files = try album.valueFiles().map { ($0, try Data(contentsOf: $0)) }
    for (file, _) in files { try FileManager.default.removeItem(at: file) }
    try FileManager.default.removeItem(at: album.replicas[author].store.url.appending(path: "blobs"))
    return files
  }

  @Test(arguments: [false, true])
  func `values come under the new names, and reach devices with the former ones`(isSealed: Bool) async throws {
    let album = try LargeValueTests.Album(isSealed: isSealed)
    let images = (1...3).map { SeededGenerator.bytes(160_000, 7_000 + UInt64($0) + (isSealed ? 100 : 0)) }
    try album.insert(1, images[0], on: 0)
    try await album.sync(0)
    let files = try takeAway(album, from: 0)
    try await album.sync(1)
    let store = album.replicas[1].store
    try store.migrate(to: Self.renamed)
    let names = try FixtureNames(store)
    try album.replicas[1].save(names.update("Picture", fixtureID(1), ["name": .string("renamed")]))
    for (file, content) in files {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: file)
    }
    let report = try #require(try await album.sync(1).first)
    #expect(report.valuesReceived == 1 && report.isComplete, "\(report)")
    #expect(try store.value("Picture", fixtureID(1), "content") == .data(images[0]))
    try album.replicas[1].save(
      names.insert("Picture", fixtureID(2), ["name": .string("2"), "content": .data(images[1])]))
    try album.insert(3, images[2], on: 0)
    try await album.sync(0, 1, 0)
    #expect(try album.image(1, on: 0) == .data(images[0]) && album.image(2, on: 0) == .data(images[1]))
    #expect(try album.replicas[0].store.value("Photo", fixtureID(1), "name") == .string("renamed"))
    #expect(try store.value("Picture", fixtureID(3), "content") == .data(images[2]))
    try album.replicas[0].store.migrate(to: Self.renamed)
    // The daily look brings back the file that was taken away above.
    album.replicas[0].clock.advance(byMilliseconds: 86_400_001)
    try await album.sync(0, 1)
    try album.expectEqual()
  }
}
