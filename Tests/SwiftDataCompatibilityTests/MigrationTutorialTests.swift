import Foundation
import SwiftData
import Testing

// Plans as sessions and articles write them: duplicates removed before a value becomes unique, a renamed attribute,
// a text taken apart, values handed from one half of a stage to the other.

enum SampleTripsSchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] {
    [SampleTrip.self, Accommodation.self]
  }

  @Model
  final class SampleTrip {
    var name: String
    var destination: String
    var start_date: Date
    var end_date: Date
    var accommodation: Accommodation?

    init(name: String, destination: String, start_date: Date = .now, end_date: Date = .distantFuture) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
      self.end_date = end_date
    }
  }

  @Model
  final class Accommodation {
    var location: String
    init(location: String) { self.location = location }
  }
}

enum SampleTripsSchemaV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] {
    [SampleTrip.self, Accommodation.self]
  }

  @Model
  final class SampleTrip {
    @Attribute(.unique) var name: String
    var destination: String
    var start_date: Date
    var end_date: Date
    var accommodation: Accommodation?

    init(name: String, destination: String, start_date: Date = .now, end_date: Date = .distantFuture) {
      self.name = name
      self.destination = destination
      self.start_date = start_date
      self.end_date = end_date
    }
  }

  @Model
  final class Accommodation {
    var location: String
    init(location: String) { self.location = location }
  }
}

enum SampleTripsSchemaV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] {
    [SampleTrip.self, Accommodation.self, Note.self]
  }

  @Model
  final class SampleTrip {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date
    var rating: Int = 3
    var tags: [String] = []
    @Relationship(deleteRule: .cascade) var accommodation: Accommodation?
    @Relationship(deleteRule: .cascade, inverse: \Note.trip) var notes: [Note] = []

    init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
      self.name = name
      self.destination = destination
      self.startDate = startDate
      self.endDate = endDate
    }
  }

  @Model
  final class Accommodation {
    var location: String
    var city: String = ""
    init(location: String) { self.location = location }
  }

  @Model
  final class Note {
    var text: String
    var trip: SampleTrip?
    init(text: String) { self.text = text }
  }
}

typealias SampleTrip = SampleTripsSchemaV3.SampleTrip
typealias Accommodation = SampleTripsSchemaV3.Accommodation

enum SampleTripsMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [SampleTripsSchemaV1.self, SampleTripsSchemaV2.self, SampleTripsSchemaV3.self]
  }

  static var stages: [MigrationStage] {
    [migrateV1toV2, migrateV2toV3]
  }

  static let migrateV1toV2 = MigrationStage.custom(
    fromVersion: SampleTripsSchemaV1.self,
    toVersion: SampleTripsSchemaV2.self,
    willMigrate: { context in
      let trips = try? context.fetch(
        FetchDescriptor<SampleTripsSchemaV1.SampleTrip>(sortBy: [SortDescriptor(\.start_date)]))
      var usedNames = Set<String>()
      for trip in trips ?? [] {
        if usedNames.contains(trip.name) {
          var number = 2
          while usedNames.contains("\(trip.name) \(number)") { number += 1 }
          trip.name = "\(trip.name) \(number)"
        }
        usedNames.insert(trip.name)
      }
      try? context.save()
    }, didMigrate: nil
  )

  /// What the first half of the stage read and the second half needs.
  nonisolated(unsafe) static var cities: [String: String] = [:]

  static let migrateV2toV3 = MigrationStage.custom(
    fromVersion: SampleTripsSchemaV2.self,
    toVersion: SampleTripsSchemaV3.self,
    willMigrate: { context in
      for old in try context.fetch(FetchDescriptor<SampleTripsSchemaV2.Accommodation>()) {
        let parts = old.location.split(separator: ", ").map(String.init)
        if parts.count == 2 { cities[old.location] = parts[1] }
      }
    },
    didMigrate: { context in
      for new in try context.fetch(FetchDescriptor<SampleTripsSchemaV3.Accommodation>()) {
        guard let city = cities[new.location] else { continue }
        new.city = city
        new.location = String(new.location.dropLast(city.count + 2))
      }
      for trip in try context.fetch(FetchDescriptor<SampleTripsSchemaV3.SampleTrip>()) {
        trip.notes.append(SampleTripsSchemaV3.Note(text: "Migrated"))
      }
      try context.save()
    }
  )
}

@MainActor
struct MigrationTutorialTests {
  private func withStore(_ body: (URL) throws -> Void) throws {
    let folder = URL.temporaryDirectory.appending(path: "plan-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body(folder.appending(path: "SampleTrips.store"))
  }

  private func fillVersion1(_ url: URL) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: SampleTripsSchemaV1.self), configurations: [ModelConfiguration(url: url)])
    let context = container.mainContext
    for (number, name) in ["Rome", "Rome", "Oslo", "Rome"].enumerated() {
      let trip = SampleTripsSchemaV1.SampleTrip(
        name: name, destination: "D\(number)", start_date: Date(timeIntervalSince1970: Double(number)),
        end_date: Date(timeIntervalSince1970: 100))
      context.insert(trip)
      if number < 2 {
        trip.accommodation = SampleTripsSchemaV1.Accommodation(
          location: number == 0 ? "Via Appia 1, Roma" : "Somewhere")
      }
    }
    try context.save()
  }

  @Test func `a store of the first version is brought to the third`() throws {
    try withStore { url in
      try fillVersion1(url)
      let container = try ModelContainer(
        for: SampleTrip.self, Accommodation.self, migrationPlan: SampleTripsMigrationPlan.self,
        configurations: ModelConfiguration(url: url))
      let trips = try container.mainContext.fetch(FetchDescriptor<SampleTrip>(sortBy: [SortDescriptor(\.startDate)]))
      #expect(trips.map(\.name) == ["Rome", "Rome 2", "Oslo", "Rome 3"])
      #expect(trips.map(\.destination) == ["D0", "D1", "D2", "D3"])
      #expect(trips.map(\.startDate.timeIntervalSince1970) == [0, 1, 2, 3])
      #expect(trips.allSatisfy { $0.endDate == Date(timeIntervalSince1970: 100) && $0.rating == 3 && $0.tags == [] })
      #expect(trips.map { $0.accommodation?.location } == ["Via Appia 1", "Somewhere", nil, nil])
      #expect(trips.map { $0.accommodation?.city } == ["Roma", "", nil, nil])
      #expect(trips.allSatisfy { $0.notes.map(\.text) == ["Migrated"] })
    }
  }

  @Test func `a migrated store is opened again without migrating`() throws {
    try withStore { url in
      try fillVersion1(url)
      for launch in 0..<3 {
        let container = try ModelContainer(
          for: Schema(versionedSchema: SampleTripsSchemaV3.self), migrationPlan: SampleTripsMigrationPlan.self,
          configurations: [ModelConfiguration(url: url)])
        let context = container.mainContext
        #expect(try context.fetchCount(FetchDescriptor<SampleTrip>()) == 4)
        #expect(try context.fetchCount(FetchDescriptor<SampleTripsSchemaV3.Note>()) == 4)
        let rome = try #require(
          try context.fetch(FetchDescriptor<SampleTrip>(predicate: #Predicate { $0.name == "Rome" })).first)
        #expect(rome.rating == 3 + launch)
        rome.rating += 1
        try context.save()
      }
    }
  }

  @Test func `a new store begins at the newest version`() throws {
    try withStore { url in
      let container = try ModelContainer(
        for: SampleTrip.self, migrationPlan: SampleTripsMigrationPlan.self,
        configurations: ModelConfiguration(url: url))
      container.mainContext.insert(SampleTrip(name: "Rome", destination: "Lazio"))
      container.mainContext.insert(SampleTrip(name: "Rome", destination: "Georgia"))
      try container.mainContext.save()
      let trips = try container.mainContext.fetch(FetchDescriptor<SampleTrip>())
      #expect(trips.map(\.destination) == ["Georgia"] && trips.map(\.notes.count) == [0])
      #expect(container.migrationPlan != nil)
    }
  }

  @Test func `properties and models are added without any plan`() throws {
    try withStore { url in
      do {
        let container = try ModelContainer(
          for: SampleTripsSchemaV2.SampleTrip.self, SampleTripsSchemaV2.Accommodation.self,
          configurations: ModelConfiguration(url: url))
        let trip = SampleTripsSchemaV2.SampleTrip(
          name: "Oslo", destination: "Norway", start_date: Date(timeIntervalSince1970: 5))
        trip.accommodation = SampleTripsSchemaV2.Accommodation(location: "Fjord")
        container.mainContext.insert(trip)
        try container.mainContext.save()
      }
      let container = try ModelContainer(for: SampleTrip.self, configurations: ModelConfiguration(url: url))
      let trip = try #require(try container.mainContext.fetch(FetchDescriptor<SampleTrip>()).first)
      #expect(trip.name == "Oslo" && trip.startDate == Date(timeIntervalSince1970: 5) && trip.rating == 3)
      #expect(trip.accommodation?.location == "Fjord" && trip.accommodation?.city == "" && trip.notes.isEmpty)
    }
  }
}
