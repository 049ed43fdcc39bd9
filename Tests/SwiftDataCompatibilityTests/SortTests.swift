import SwiftData
import Testing

enum MusicModels {
  struct Origin: Codable { var city: String }

  @Model
  final class Song {
    var title: String
    var subtitle: String?
    var length: Double
    var isLive: Bool
    var rating: Int?
    var origin: Origin
    var album: Album?
    init(
      _ title: String, subtitle: String? = nil, length: Double = 1, isLive: Bool = false, rating: Int? = nil,
      city: String = ""
    ) {
      self.title = title
      self.subtitle = subtitle
      self.length = length
      self.isLive = isLive
      self.rating = rating
      origin = Origin(city: city)
    }
  }

  @Model
  final class Album {
    var name: String
    var year: Int
    var label: Label?
    @Relationship(inverse: \Song.album) var songs: [Song] = []
    init(name: String, year: Int) {
      self.name = name
      self.year = year
    }
  }

  @Model
  final class Label {
    var name: String
    @Relationship(inverse: \Album.label) var albums: [Album] = []
    init(name: String) { self.name = name }
  }

  @Model
  final class Pass {
    var seat: Int
    var song: Song
    init(seat: Int, song: Song) {
      self.seat = seat
      self.song = song
    }
  }
}

@MainActor
@Suite struct SortTests {
  private typealias Song = MusicModels.Song
  private typealias Album = MusicModels.Album
  private typealias Label = MusicModels.Label
  private typealias Pass = MusicModels.Pass

  private let context: ModelContext

  init() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    context = try ModelContainer(for: Song.self, Pass.self, configurations: configuration).mainContext
    let old = Album(name: "Beta", year: 1990)
    let new = Album(name: "alpha", year: 2020)
    old.label = Label(name: "L")
    let songs = [
      Song("b10", subtitle: "z", length: 3, isLive: true, rating: 5, city: "Lviv"),
      Song("B9", length: 2, rating: 1, city: "Kyiv"),
      Song("é", subtitle: "A", length: 2, isLive: true, city: "Odesa"),
      Song("a", subtitle: "b", length: 1, rating: 5, city: "Brody"),
    ]
    for song in songs { context.insert(song) }
    songs[0].album = old
    songs[1].album = new
    songs[3].album = old
    for (seat, song) in songs.enumerated() { context.insert(Pass(seat: 4 - seat, song: song)) }
  }

  private func titles(_ order: [SortDescriptor<Song>], sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    var descriptor = FetchDescriptor(sortBy: order)
    let unsaved = try context.fetch(descriptor).map(\.title)
    try context.save()
    let saved = try context.fetch(descriptor).map(\.title)
    #expect(unsaved == saved, sourceLocation: sourceLocation)
    // A window of an order is a part of it.
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.title) == Array(saved[1...2]), sourceLocation: sourceLocation)
    #expect(
      try ModelContext(context.container).fetch(descriptor).map(\.title) == Array(saved[1...2]),
      sourceLocation: sourceLocation)
    return saved.joined(separator: " ")
  }

  @Test func `texts in three orders`() throws {
    #expect(try titles([SortDescriptor(\.title)]) == "a B9 b10 é")
    #expect(try titles([SortDescriptor(\.title, order: .reverse)]) == "é b10 B9 a")
    #expect(try titles([SortDescriptor(\.subtitle)]) == "B9 é a b10")
    #expect(try titles([SortDescriptor(\.title, comparator: .lexical)]) == "B9 a b10 é")
    #expect(try titles([SortDescriptor(\.title, comparator: .lexical, order: .reverse)]) == "é b10 a B9")
    #expect(try titles([SortDescriptor(\.title, comparator: .localizedStandard)]) == "a B9 b10 é")
    #expect(try titles([SortDescriptor(\.title, comparator: .localized, order: .reverse)]) == "é b10 B9 a")
    #expect(try titles([SortDescriptor(\.subtitle, comparator: .localizedStandard)]) == "B9 é a b10")
    #expect(try titles([SortDescriptor(\.subtitle, comparator: .lexical)]) == "B9 é a b10")
  }

  @Test func `Bool, optionals and several keys; nil comes first, ties stay in the order of insertion`() throws {
    #expect(try titles([SortDescriptor(\.isLive)]) == "B9 a b10 é")
    #expect(try titles([SortDescriptor(\.isLive, order: .reverse)]) == "b10 é B9 a")
    #expect(try titles([SortDescriptor(\.rating)]) == "é B9 b10 a")
    #expect(try titles([SortDescriptor(\.rating, order: .reverse)]) == "b10 a B9 é")
    #expect(
      try titles([SortDescriptor(\.length, order: .reverse), SortDescriptor(\.title, order: .reverse)]) == "b10 é B9 a")
    #expect(try titles([SortDescriptor(\.isLive), SortDescriptor(\.rating), SortDescriptor(\.title)]) == "B9 a é b10")
    #expect(try titles([]) == "b10 B9 é a")
  }

  @Test func `members of composed values and of related objects`() throws {
    #expect(try titles([SortDescriptor(\.origin.city)]) == "a B9 b10 é")
    #expect(try titles([SortDescriptor(\.album?.year), SortDescriptor(\.title)]) == "é a b10 B9")
    #expect(try titles([SortDescriptor(\.album?.name, order: .reverse), SortDescriptor(\.title)]) == "a b10 B9 é")
    #expect(
      try titles([SortDescriptor(\.album?.name, comparator: .localizedStandard), SortDescriptor(\.title)])
        == "é B9 a b10")
    #expect(try titles([SortDescriptor(\.album?.label?.name), SortDescriptor(\.title)]) == "B9 é a b10")
    let byTitle = FetchDescriptor<Pass>(sortBy: [SortDescriptor(\.song.title)])
    #expect(try context.fetch(byTitle).map(\.song.title) == ["a", "B9", "b10", "é"])
    let byCode = FetchDescriptor<Pass>(sortBy: [SortDescriptor(\.song.title, comparator: .lexical)])
    #expect(try context.fetch(byCode).map(\.song.title) == ["B9", "a", "b10", "é"])
    let byLive = FetchDescriptor<Pass>(sortBy: [SortDescriptor(\.song.isLive), SortDescriptor(\.seat)])
    #expect(try context.fetch(byLive).map(\.seat) == [1, 3, 2, 4])
    let forPeople = FetchDescriptor<Pass>(sortBy: [SortDescriptor(\.song.title, comparator: .localizedStandard)])
    #expect(try context.fetch(forPeople).map(\.song.title) == ["a", "B9", "b10", "é"])
  }
}
