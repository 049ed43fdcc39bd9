import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

private enum AlbumsV1 {
  @Model final class Album {
    var songs: [Song] = []
    var rooms: [Room] = []
    init() {}
  }
  @Model final class Song {
    @Relationship(inverse: \Album.songs) var albums: [Album] = []
    init() {}
  }
  @Model final class Room {
    @Relationship(inverse: \Album.rooms) var albums: [Album] = []
    init() {}
  }
  static let models: [any PersistentModel.Type] = [Album.self, Song.self, Room.self]
}

private enum AlbumsV2 {
  @Model final class Album {
    @Relationship(originalName: "songs") var tracks: [Song] = []
    init() {}
  }
  @Model final class Song {
    @Relationship(originalName: "albums", inverse: \Album.tracks) var records: [Album] = []
    init() {}
  }
  static let models: [any PersistentModel.Type] = [Album.self, Song.self]
}

/// What history tells of links that were made under an earlier schema.
struct RenamedLinkHistoryTests {
  private func names(of changes: [Tandem.HistoryChange]) -> [String] {
    changes.map { change in
      switch change {
      case .update(let update as DefaultHistoryUpdate<AlbumsV2.Album>):
        "Album \(update.containsAttribute(\.tracks)) \(update.updatedAttributes.count)"
      case .update(let update as DefaultHistoryUpdate<AlbumsV2.Song>):
        "Song \(update.containsAttribute(\.records)) \(update.updatedAttributes.count)"
      case .insert: "+"
      case .delete: "-"
      default: "another"
      }
    }.sorted()
  }

  @Test func `links are told by the present names, and not at classes and relationships that went`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = ModelConfiguration(url: folder.appending(path: "albums.store"))
    do {
      let context = ModelContext(try ModelContainer(for: Schema(AlbumsV1.models), configurations: configuration))
      let (album, song, room) = (AlbumsV1.Album(), AlbumsV1.Song(), AlbumsV1.Room())
      for model in [album, song, room] as [any PersistentModel] { context.insert(model) }
      try context.save()
      album.songs = [song]
      try context.save()
      album.rooms = [room]
      try context.save()
    }
    let container = try ModelContainer(for: Schema(AlbumsV2.models), configurations: configuration)
    let context = ModelContext(container)
    let album = try #require(try context.fetch(FetchDescriptor<AlbumsV2.Album>()).first)
    album.tracks = []
    try context.save()
    let told = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { names(of: $0.changes) }
    let linked = ["Album true 1", "Song true 1"]
    #expect(told == [["+", "+"], linked, linked])
    #expect(try container.store.integrityViolations() == [])
  }
}
