import SwiftData
import Testing

/// Stores before and after a model got subclasses, and programs that do not know all of them.
struct InheritanceMigrationTests {
  private func fill(_ place: VoyagePlace) throws {
    let context = try place.open(VoyagesV2.self)
    context.insert(VoyagesV2.Voyage(name: "walk"))
    context.insert(VoyagesV2.Cruise(name: "sea", ship: "Odesa"))
    try context.save()
  }

  @Test func `objects from before the first subclass stay those of the root`() throws {
    try VoyagePlace.with { place throws in
      let old = try place.open(VoyagesV1.self)
      old.insert(VoyagesV1.Voyage(name: "walk"))
      try old.save()
      let context = try place.open(VoyagesV2.self)
      context.insert(VoyagesV2.Cruise(name: "sea", ship: "Odesa"))
      try context.save()
      let all = try context.fetch(FetchDescriptor<VoyagesV2.Voyage>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.name) == ["sea", "walk"] && all.map { $0 is VoyagesV2.Cruise } == [true, false])
      #expect(try context.fetchCount(FetchDescriptor<VoyagesV2.Cruise>()) == 1)
    }
  }

  @Test func `a program that knows only the root sees all objects, and what it does not know is kept`() throws {
    try VoyagePlace.with { place throws in
      try fill(place)
      let old = try place.open(VoyagesV1.self)
      let all = try old.fetch(FetchDescriptor<VoyagesV1.Voyage>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.name) == ["sea", "walk"] && all[0].persistentModelID.entityName == "Voyage")
      all[0].days = 9
      all[1].name = "run"
      // The unique value is that of a cruise: the record is changed and stays one.
      let same = VoyagesV1.Voyage(name: "sea")
      same.days = 10
      old.insert(same)
      old.insert(VoyagesV1.Voyage(name: "ride"))
      try old.save()
      let context = try place.open(VoyagesV2.self)
      let cruises = try context.fetch(FetchDescriptor<VoyagesV2.Cruise>())
      #expect(cruises.map(\.name) == ["sea"] && cruises.map(\.ship) == ["Odesa"] && cruises.map(\.days) == [10])
      let names = try context.fetch(FetchDescriptor<VoyagesV2.Voyage>(sortBy: [SortDescriptor(\.name)])).map(\.name)
      #expect(names == ["ride", "run", "sea"])
    }
  }

  @Test func `programs with and without the subclass use one store at the same time`() throws {
    try VoyagePlace.with { place throws in
      let new = try place.open(VoyagesTogether.self)
      let cruise = VoyagesV2.Cruise(name: "sea", ship: "Odesa")
      new.insert(cruise)
      try new.save()
      let old = try place.open(VoyagesV1.self)
      let same = try #require(try old.fetch(FetchDescriptor<VoyagesV1.Voyage>()).first)
      same.days = 9
      old.insert(VoyagesV1.Voyage(name: "walk"))
      try old.save()
      new.insert(VoyagesV2.Cruise(name: "lake", ship: "Lviv"))
      try new.save()
      #expect(cruise.days == 9)
      #expect(try new.fetchCount(FetchDescriptor<VoyagesV2.Voyage>()) == 3)
      #expect(try new.fetchCount(FetchDescriptor<VoyagesV2.Cruise>()) == 2)
      #expect(try old.fetchCount(FetchDescriptor<VoyagesV1.Voyage>()) == 3)
      old.delete(same)
      try old.save()
      new.processPendingChanges()
      #expect(cruise.isDeleted)
    }
  }

  @Test func `an object of a class that is not known is one of the root, and comes back as it was`() throws {
    try VoyagePlace.with { place throws in
      let new = try place.open(VoyagesV3.self)
      new.insert(VoyagesV3.Flight(name: "PS 101"))
      new.insert(VoyagesV3.Cruise(name: "sea", vessel: "Odesa"))
      try new.save()
      let old = try place.open(VoyagesV2.self)
      let flight = try #require(
        try old.fetch(FetchDescriptor<VoyagesV2.Voyage>(predicate: #Predicate { $0.name == "PS 101" })).first)
      #expect(type(of: flight) == VoyagesV2.Voyage.self && flight.persistentModelID.entityName == "Voyage")
      #expect(try old.fetchCount(FetchDescriptor<VoyagesV2.Cruise>()) == 1)
      flight.days = 2
      try old.save()
      let again = try place.open(VoyagesV3.self)
      #expect(try again.fetch(FetchDescriptor<VoyagesV3.Flight>()).map(\.days) == [2])
    }
  }

  @Test func `a class is put between two others, and properties come with their defaults`() throws {
    try VoyagePlace.with { place throws in
      try fill(place)
      let context = try place.open(VoyagesV3.self)
      let cruise = try #require(try context.fetch(FetchDescriptor<VoyagesV3.Passage>()).first as? VoyagesV3.Cruise)
      #expect(cruise.vessel == "Odesa" && cruise.decks == 3 && cruise.pools == 0 && cruise.seats == 100)
      func count(_ predicate: Predicate<VoyagesV3.Cruise>) throws -> Int {
        #expect(try predicate.evaluate(cruise))
        return try context.fetchCount(FetchDescriptor(predicate: predicate))
      }
      #expect(try count(#Predicate { $0.decks == 3 }) == 1 && count(#Predicate { $0.pools < 1 }) == 1)
      #expect(try count(#Predicate { $0.seats == 100 && $0.vessel == "Odesa" }) == 1)
      let third = #Predicate<VoyagesV3.Voyage> { ($0 as? VoyagesV3.Cruise)?.decks == 3 }
      #expect(try context.fetch(FetchDescriptor(predicate: third)).map(\.name) == ["sea"])
      let sum = try context.aggregate(.sum(of: \.decks), over: FetchDescriptor<VoyagesV3.Cruise>())
      #expect(sum == 3)
    }
  }

  @Test func `a property moves to the superclass under its original name`() throws {
    try VoyagePlace.with { place throws in
      try fill(place)
      let context = try place.open(VoyagesV4.self)
      let all = try context.fetch(FetchDescriptor<VoyagesV4.Voyage>(sortBy: [SortDescriptor(\.name)]))
      #expect(all.map(\.vessel) == ["Odesa", nil] && all[0] is VoyagesV4.Cruise)
    }
  }

  @Test func `a class with objects of its own does not become a subclass unseen`() throws {
    try VoyagePlace.with { place throws in
      let apart = try place.open(VoyagesApart.self)
      apart.insert(VoyagesApart.Cruise(name: "sea", ship: "Odesa"))
      try apart.save()
      do {
        _ = try place.open(VoyagesV2.self)
        Issue.record("nothing was thrown")
      } catch {
        #expect("\(error)".contains("Cruise inherits from Voyage now, and the store has 1 objects"), "\(error)")
      }
      do {
        _ = try place.open(VoyagesTogether.self, plan: VoyagesSilentPlan.self)
        Issue.record("a plan without a stage of the app's own moved nothing, and was taken")
      } catch {
        #expect("\(error)".contains("Cruise inherits from Voyage now, and the store has 1 objects"), "\(error)")
      }
      // Nothing was changed, and a plan moves them.
      #expect(try place.open(VoyagesApart.self).fetchCount(FetchDescriptor<VoyagesApart.Cruise>()) == 1)
      let context = try place.open(VoyagesTogether.self, plan: VoyagesPlan.self)
      #expect(try context.fetch(FetchDescriptor<VoyagesV2.Voyage>()).map(\.name) == ["sea"])
      #expect(try context.fetch(FetchDescriptor<VoyagesV2.Cruise>()).map(\.ship) == ["Odesa"])
    }
  }
}
