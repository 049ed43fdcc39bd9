import Foundation
import Tandem
import Testing

// The code of the article Relationships. `the article's code is this file's` keeps the two equal.

@Model final class Band {
  var name: String
  @Relationship(.ordered, deleteRule: .cascade, inverse: \Song.band) var songs: [Song] = []
  @Relationship(deleteRule: .deny, inverse: \Concert.bands) var concerts: [Concert] = []
  @Relationship(minimumModelCount: 1, maximumModelCount: 5) var members: [Musician] = []
  var rehearsalRoom: Room?

  init(name: String, members: [Musician]) {
    self.name = name
    self.members = members
  }
}

@Model final class Song {
  var title: String
  var band: Band?
  init(title: String) { self.title = title }
}

@Model final class Concert {
  var place: String
  var bands: [Band] = []
  init(place: String) { self.place = place }
}

@Model final class Musician {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Room {
  var street: String
  @Relationship(inverse: \Band.rehearsalRoom) var band: Band?
  init(street: String) { self.street = street }
}

struct RelationshipsArticleTests {
  @Test func `the article's relationships behave as it says`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Band.self, configurations: configuration))

    let band = Band(name: "Okean", members: [Musician(name: "Sviatoslav")])
    context.insert(band)
    band.songs = [Song(title: "Vidpusty"), Song(title: "Obijmy")]
    #expect(band.songs[0].band === band)
    try context.save()

    band.songs.swapAt(0, 1)
    band.songs.insert(Song(title: "Bez boju"), at: 1)
    try context.save()
    let other = ModelContext(context.container)
    let there = try #require(try other.fetch(FetchDescriptor<Band>()).first)
    #expect(there.songs.map(\.title) == ["Obijmy", "Bez boju", "Vidpusty"])

    let concert = Concert(place: "Lviv")
    concert.bands.append(band)
    try context.save()
    context.delete(band)
    do {
      try context.save()
    } catch SwiftDataError.modelValidationFailure {
      context.rollback()
    }
    #expect(!band.isDeleted)

    context.delete(concert)
    context.delete(band)
    try context.save()
    #expect(band.isDeleted && band.name == "Okean" && band.songs.isEmpty)
  }
}
