import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

@Model final class Playlist {
  var name: String
  @Relationship(.ordered, deleteRule: .cascade, inverse: \Track.playlist) var tracks: [Track] = []
  @Relationship(.ordered) var covers: [Cover] = []
  init(name: String) { self.name = name }
}

@Model final class Track {
  var title: String
  var playlist: Playlist?
  init(title: String, playlist: Playlist? = nil) {
    self.title = title
    self.playlist = playlist
  }
}

@Model final class Cover {
  var title: String
  init(title: String) { self.title = title }
}

@Model private final class Shelf {
  @Relationship(.ordered) var books: [Volume] = []
  init() {}
}
@Model private final class Volume {
  @Relationship(inverse: \Shelf.books) var shelves: [Shelf] = []
  init() {}
}

struct OrderedRelationshipTests {
  private func titles(_ playlist: Playlist) -> String { playlist.tracks.map(\.title).joined() }

  private func stored(_ playlist: Playlist, _ container: ModelContainer) throws -> String {
    let context = ModelContext(container)
    return titles(try #require(context.model(for: playlist.persistentModelID) as? Playlist))
  }

  private func withPlaylist(
    _ names: String, _ body: (ModelContainer, ModelContext, Playlist) throws -> Void
  ) async throws {
    try await withContainer(for: [Playlist.self]) { container in
      let context = ModelContext(container)
      let playlist = Playlist(name: "p")
      playlist.tracks = names.map { Track(title: String($0)) }
      context.insert(playlist)
      try context.save()
      #expect(try stored(playlist, container) == names)
      try body(container, context, playlist)
    }
  }

  /// How many records the last save wrote.
  private func written(_ container: ModelContainer) throws -> Int {
    try container.store.read { snapshot in
      let last = try snapshot.lastTransactionNumber
      return try snapshot.history(after: last - 1).flatMap(\.changes).count
    }
  }

  @Test func `objects keep the order of the array through inserts, moves and removals`() async throws {
    try await withPlaylist("edcba") { container, context, playlist in
      playlist.tracks.insert(Track(title: "x"), at: 2)
      #expect(titles(playlist) == "edxcba")
      try context.save()
      #expect(try stored(playlist, container) == "edxcba")
      #expect(try written(container) == 1)
      playlist.tracks.swapAt(0, 5)
      try context.save()
      #expect(try stored(playlist, container) == "adxcbe")
      #expect(try written(container) == 2)
      playlist.tracks.remove(at: 1)
      playlist.tracks.append(Track(title: "z"))
      playlist.tracks.move(fromOffsets: [0], toOffset: 3)
      #expect(titles(playlist) == "xcabez")
      try context.save()
      #expect(titles(playlist) == "xcabez")
      #expect(try stored(playlist, container) == "xcabez")
      playlist.tracks.reverse()
      try context.save()
      #expect(try stored(playlist, container) == "zebacx")
      playlist.tracks = []
      try context.save()
      #expect(try stored(playlist, container) == "")
    }
  }

  @Test func `an object that joins from its own side stands at the end`() async throws {
    try await withPlaylist("ba") { container, context, playlist in
      context.insert(Track(title: "c", playlist: playlist))
      try context.save()
      #expect(try stored(playlist, container) == "bac")
      let other = ModelContext(container)
      let there = try #require(other.model(for: playlist.persistentModelID) as? Playlist)
      // The list was not read here before.
      other.insert(Track(title: "d", playlist: there))
      try other.save()
      #expect(try stored(playlist, container) == "bacd")
      context.processPendingChanges()
      #expect(titles(playlist) == "bacd")
    }
  }

  @Test func `moving an object from one list to another gives it a position there`() async throws {
    try await withPlaylist("abc") { container, context, playlist in
      let second = Playlist(name: "q")
      context.insert(second)
      second.tracks = [playlist.tracks[2], Track(title: "n"), playlist.tracks[0]]
      #expect(titles(playlist) == "b" && titles(second) == "cna")
      try context.save()
      #expect(try stored(playlist, container) == "b" && stored(second, container) == "cna")
    }
  }

  @Test func `an order that was set and not saved is taken back by a rollback`() async throws {
    try await withPlaylist("abc") { container, context, playlist in
      playlist.tracks.reverse()
      #expect(context.hasChanges && titles(playlist) == "cba")
      context.rollback()
      #expect(titles(playlist) == "abc" && !context.hasChanges)
      context.delete(playlist.tracks[1])
      playlist.tracks.reverse()
      try context.save()
      #expect(try stored(playlist, container) == "ca")
    }
  }

  @Test func `what two contexts moved and inserted apart is kept of both`() async throws {
    try await withPlaylist("abcd") { container, context, playlist in
      let other = ModelContext(container)
      let there = try #require(other.model(for: playlist.persistentModelID) as? Playlist)
      #expect(titles(there) == "abcd")
      playlist.tracks.insert(Track(title: "x"), at: 1)
      there.tracks.move(fromOffsets: [3], toOffset: 0)
      there.tracks.append(Track(title: "y"))
      try context.save()
      other.processPendingChanges()
      #expect(titles(there) == "daxbcy")
      try other.save()
      #expect(try stored(playlist, container) == "daxbcy")
      context.processPendingChanges()
      #expect(titles(playlist) == "daxbcy")
    }
  }

  @Test func `a relationship without an inverse is ordered too`() async throws {
    try await withContainer(for: [Playlist.self]) { container in
      let context = ModelContext(container)
      let playlist = Playlist(name: "p")
      context.insert(playlist)
      playlist.covers = ["c", "a", "b"].map { Cover(title: $0) }
      try context.save()
      playlist.covers.swapAt(0, 1)
      try context.save()
      let fresh = ModelContext(container)
      let again = try #require(try fresh.fetch(FetchDescriptor<Playlist>()).first)
      #expect(again.covers.map(\.title) == ["a", "c", "b"])
    }
  }

  @Test func `a many-to-many relationship cannot be ordered`() {
    #expect {
      try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    } throws: { error in
      (error as? SwiftDataError)?.code == .unsupportedSchema && "\(error)".contains("Shelf.books is ordered")
    }
  }

  @Test func `a list that is edited at random reads as an array edited alike`() async throws {
    try await withPlaylist("") { container, context, playlist in
      var random = SeededGenerator.announced()
      var expected: [String] = []
      for step in 0..<120 {
        let place = Int.random(in: 0...expected.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          expected.insert("\(step) ", at: place)
          playlist.tracks.insert(Track(title: "\(step) "), at: place)
        case 2 where !expected.isEmpty:
          let from = Int.random(in: expected.indices, using: &random)
          let to = Int.random(in: 0..<expected.count, using: &random)
          expected.insert(expected.remove(at: from), at: to)
          var tracks = playlist.tracks
          tracks.insert(tracks.remove(at: from), at: to)
          playlist.tracks = tracks
        case 3 where place < expected.count:
          expected.remove(at: place)
          context.delete(playlist.tracks[place])
        default:
          try context.save()
          #expect(try stored(playlist, container) == expected.joined())
        }
        #expect(titles(playlist) == expected.joined())
      }
      try context.save()
      #expect(try stored(playlist, container) == expected.joined())
    }
  }
}

extension Array {
  /// As SwiftUI's `move(fromOffsets:toOffset:)`, of which Foundation has none here.
  fileprivate mutating func move(fromOffsets offsets: [Int], toOffset target: Int) {
    let moved = offsets.map { self[$0] }
    let front = self[..<target].indices.filter { !offsets.contains($0) }.map { self[$0] }
    let back = self[target...].indices.filter { !offsets.contains($0) }.map { self[$0] }
    self = front + moved + back
  }
}
