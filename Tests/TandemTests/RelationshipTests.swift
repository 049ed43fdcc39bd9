import Foundation
import Tandem
import Testing

/// Each kind of relationship, set from each side, in memory and after reading it again.
struct RelationshipTests {
  private func reloaded<M: PersistentModel>(_ model: M, _ container: ModelContainer) throws -> (ModelContext, M) {
    let context = ModelContext(container)
    let found = try #require(context.model(for: model.persistentModelID) as? M)
    return (context, found)
  }

  @Test func `one to many, from the many side`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let first = Trip(code: "1")
      let second = Trip(code: "2")
      let stop = Stop(place: "x")
      context.insert(first)
      context.insert(second)
      stop.trip = first
      #expect(stop.modelContext === context)
      #expect(first.stops == [stop])
      stop.trip = second
      #expect(first.stops == [])
      #expect(second.stops == [stop])
      try context.save()
      #expect(second.stops == [stop])
      let (_, again) = try reloaded(second, container)
      #expect(again.stops == [stop])
      #expect(again.stops.first?.trip == again)
      stop.trip = nil
      #expect(second.stops == [])
      try context.save()
      #expect(try reloaded(second, container).1.stops == [])
    }
  }

  @Test func `one to many, from the one side`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let first = Trip(code: "1")
      let second = Trip(code: "2")
      context.insert(first)
      context.insert(second)
      first.stops.append(Stop(place: "a"))
      first.stops.append(Stop(place: "b"))
      first.stops.append(first.stops[0])
      #expect(first.stops.map(\.place) == ["a", "b"])
      try context.save()
      let moved = first.stops[0]
      second.stops = [moved]
      #expect(first.stops.map(\.place) == ["b"])
      #expect(moved.trip === second)
      try context.save()
      #expect(try reloaded(first, container).1.stops.map(\.place) == ["b"])
      #expect(try reloaded(second, container).1.stops.map(\.place) == ["a"])
      second.stops.removeAll()
      #expect(moved.trip == nil)
      try context.save()
      #expect(try reloaded(moved, container).1.trip == nil)
    }
  }

  @Test func `a list that is read first after an unsaved change shows the change`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "1")
      trip.stops = [Stop(place: "a"), Stop(place: "b"), Stop(place: "c")]
      let other = Trip(code: "2")
      context.insert(trip)
      context.insert(other)
      try context.save()

      let fresh = ModelContext(container)
      let stops = try fresh.fetch(FetchDescriptor<Stop>(sortBy: [SortDescriptor(\.place)]))
      let trips = try fresh.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.code)]))
      stops[0].trip = trips[1]
      fresh.delete(stops[1])
      let added = Stop(place: "d", trip: trips[0])
      #expect(String.list(trips[0].stops.map(\.place)) == "c d")
      #expect(String.list(trips[1].stops.map(\.place)) == "a")
      #expect(added.modelContext === fresh)
    }
  }

  @Test func `many to many, from both sides`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trips = ["1", "2"].map { Trip(code: $0) }
      let tags = ["x", "y"].map { Tag(name: $0) }
      trips.forEach(context.insert)
      trips[0].tags = tags
      tags[1].trips.append(trips[1])
      #expect(Set(tags[1].trips) == Set(trips))
      #expect(trips[1].tags == [tags[1]])
      try context.save()
      #expect(Set(try reloaded(tags[1], container).1.trips) == Set(trips))
      #expect(Set(try reloaded(trips[0], container).1.tags) == Set(tags))
      tags[0].trips.removeAll { $0 === trips[0] }
      #expect(trips[0].tags == [tags[1]])
      try context.save()
      #expect(try reloaded(trips[0], container).1.tags == [tags[1]])
      #expect(try reloaded(tags[0], container).1.trips == [])
      context.delete(tags[1])
      #expect(trips[0].tags == [])
      try context.save()
      #expect(try reloaded(trips[1], container).1.tags == [])
    }
  }

  @Test func `one to one, from both sides, with an earlier partner left alone`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let first = Trip(code: "1")
      let second = Trip(code: "2")
      let insurance = Insurance(policy: "p")
      context.insert(first)
      context.insert(second)
      first.insurance = insurance
      #expect(insurance.trip === first)
      try context.save()
      #expect(try reloaded(first, container).1.insurance == insurance)
      #expect(try reloaded(insurance, container).1.trip == first)
      insurance.trip = second
      #expect(first.insurance == nil)
      #expect(second.insurance === insurance)
      try context.save()
      #expect(try reloaded(first, container).1.insurance == nil)
      #expect(try reloaded(second, container).1.insurance == insurance)
      let better = Insurance(policy: "q")
      second.insurance = better
      #expect(insurance.trip == nil)
      try context.save()
      #expect(try reloaded(insurance, container).1.trip == nil)
      #expect(try reloaded(second, container).1.insurance == better)
      second.insurance = nil
      try context.save()
      #expect(try reloaded(better, container).1.trip == nil)
    }
  }

  @Test func `relationships without an inverse`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let first = Album(title: "1")
      let second = Album(title: "2")
      context.insert(first)
      context.insert(second)
      let page = Page(text: "p")
      first.pages = [page, Page(text: "q")]
      first.cover = page
      second.cover = page
      try context.save()
      #expect(String.list(try reloaded(first, container).1.pages.map(\.text)) == "p q")
      #expect(try reloaded(second, container).1.cover == page)
      second.pages.append(page)
      #expect(first.pages.map(\.text) == ["q"])
      try context.save()
      #expect(try reloaded(first, container).1.pages.map(\.text) == ["q"])
      #expect(try reloaded(second, container).1.pages == [page])
      context.delete(page)
      #expect(first.cover == nil)
      try context.save()
      #expect(try reloaded(first, container).1.cover == nil)
      #expect(try reloaded(second, container).1.pages == [])
    }
  }

  @Test func `saving one object of a graph saves all that it reaches`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "1")
      let stop = Stop(place: "x", trip: trip)
      stop.photos = [Photo(title: "sun"), Photo(title: "sea")]
      trip.tags = [Tag(name: "summer")]
      trip.insurance = Insurance(policy: "p")
      context.insert(stop)
      #expect(context.insertedModelsArray.count == 6)
      try context.save()
      let (_, again) = try reloaded(trip, container)
      #expect(again.stops.flatMap(\.photos).map(\.title).sorted() == ["sea", "sun"])
      #expect(again.tags.map(\.name) == ["summer"])
      #expect(again.insurance?.policy == "p")
    }
  }

  @Test func `an initialiser's relationships reach the other side`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "1")
      let stop = Stop(place: "x", trip: trip)
      #expect(stop.trip === trip)
      #expect(trip.stops == [stop])
      context.insert(trip)
      #expect(stop.modelContext === context)
      let late = Stop(place: "y", trip: trip)
      context.insert(late)
      #expect(trip.stops == [stop, late])
    }
  }

  @Test func `the rules cascade, nullify and deny act at the save`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let trip = Trip(code: "1")
      let stop = Stop(place: "x", trip: trip)
      let photo = Photo(title: "sun", stop: stop)
      let insurance = Insurance(policy: "p")
      trip.insurance = insurance
      context.insert(photo)
      try context.save()
      let watching = ModelContext(container)
      let watchedPhoto = try #require(try watching.fetch(FetchDescriptor<Photo>()).first)
      #expect(watchedPhoto.stop?.trip?.code == "1")

      context.delete(trip)
      #expect(stop.trip == nil)
      try context.save()
      #expect(trip.isDeleted && stop.isDeleted && insurance.isDeleted)
      #expect(!photo.isDeleted)
      #expect(photo.stop == nil)
      #expect(photo.title == "sun")
      watching.processPendingChanges()
      #expect(watchedPhoto.stop == nil)
      #expect(try watching.fetchCount(FetchDescriptor<Stop>()) == 0)

      let booked = Trip(code: "2")
      context.insert(Booking(number: 1, trip: booked))
      try context.save()
      context.delete(booked)
      expectError(.deleteDenied) { try context.save() }
      context.rollback()
      #expect(!booked.isDeleted)
      #expect(booked.bookings.count == 1)
    }
  }

  /// An object that left knows its former owner still. It was taken from that one, which counted as changed.
  @Test func `putting an object that left somewhere else changes nothing of its former owner`() async throws {
    try await withContainer { container in
      let context = ModelContext(container)
      let (former, other) = (Trip(code: "1"), Trip(code: "2"))
      let stop = Stop(place: "x", trip: former)
      context.insert(stop)
      context.insert(other)
      try context.save()
      context.delete(stop)
      try context.save()
      other.stops = [stop]
      #expect(other.hasChanges && !former.hasChanges)

      let (album, next, page) = (Album(title: "a"), Album(title: "b"), Page(text: "p"))
      context.insert(album)
      context.insert(next)
      try context.save()
      context.insert(page)
      context.delete(page)
      album.pages = [page]
      context.rollback()
      next.pages = [page]
      #expect(next.hasChanges && !album.hasChanges)
    }
  }

  @Test func `a list takes what another context linked and unlinked`() async throws {
    try await withContainer { container in
      let first = ModelContext(container)
      let trip = Trip(code: "1")
      trip.stops = [Stop(place: "a")]
      trip.tags = [Tag(name: "t")]
      first.insert(trip)
      try first.save()
      let second = ModelContext(container)
      let there = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
      #expect(there.stops.map(\.place) == ["a"])
      #expect(there.tags.map(\.name) == ["t"])
      there.stops.append(Stop(place: "mine"))
      trip.stops.append(Stop(place: "b"))
      trip.tags = [Tag(name: "u")]
      try first.save()
      second.processPendingChanges()
      #expect(String.list(there.stops.map(\.place)) == "a b mine")
      #expect(there.tags.map(\.name) == ["u"])
      try second.save()
      _ = try first.fetchCount(FetchDescriptor<Trip>())
      first.processPendingChanges()
      #expect(String.list(trip.stops.map(\.place)) == "a b mine")
    }
  }
}
