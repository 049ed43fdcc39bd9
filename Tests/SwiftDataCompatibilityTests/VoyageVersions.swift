import SwiftData

// Versions of an app whose models come to inherit: each is a hierarchy of its own.

/// Before the first subclass, and as a program has it that knows none.
enum VoyagesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Voyage.self]

  @Model class Voyage {
    @Attribute(.unique) var name: String
    var days: Int = 1
    init(name: String) { self.name = name }
  }
}

enum VoyagesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Voyage.self, Cruise.self]

  @Model class Voyage {
    @Attribute(.unique) var name: String
    var days: Int = 1
    init(name: String) { self.name = name }
  }

  @Model final class Cruise: Voyage {
    var ship: String
    init(name: String, ship: String) {
      self.ship = ship
      super.init(name: name)
    }
  }
}

/// A class is put between two, and all classes get properties.
enum VoyagesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Cruise.self, Flight.self]

  @Model class Voyage {
    @Attribute(.unique) var name: String
    var days: Int = 1
    init(name: String) { self.name = name }
  }

  @Model class Passage: Voyage {
    var seats: Int = 100
    override init(name: String) { super.init(name: name) }
  }

  @Model final class Cruise: Passage {
    @Attribute(originalName: "ship") var vessel: String
    var decks: Int = 3
    var pools: Int
    init(name: String, vessel: String) {
      vessel2 = ""
      pools = 2
      self.vessel = vessel
      super.init(name: name)
    }
    @Transient var vessel2: String = ""
  }

  @Model final class Flight: Passage {
    var number: String = ""
    override init(name: String) { super.init(name: name) }
  }
}

/// The ship moves up to all voyages.
enum VoyagesV4: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Voyage.self, Cruise.self]

  @Model class Voyage {
    @Attribute(.unique) var name: String
    @Attribute(originalName: "Cruise.ship") var vessel: String?
    init(name: String) { self.name = name }
  }

  @Model final class Cruise: Voyage {
    override init(name: String) { super.init(name: name) }
  }
}

/// The cruise as a class of its own.
enum VoyagesApart: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static let models: [any PersistentModel.Type] = [Voyage.self, Cruise.self]

  @Model final class Voyage {
    @Attribute(.unique) var name: String
    var days: Int = 1
    init(name: String) { self.name = name }
  }

  @Model final class Cruise {
    var name: String
    var ship: String
    init(name: String, ship: String) {
      self.name = name
      self.ship = ship
    }
  }
}

/// `VoyagesV2` after `VoyagesApart`.
enum VoyagesTogether: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static let models = VoyagesV2.models
}

enum VoyagesPlan: SchemaMigrationPlan {
  static let schemas: [any VersionedSchema.Type] = [VoyagesApart.self, VoyagesTogether.self]
  static let stages: [MigrationStage] = [
    .transform(fromVersion: VoyagesApart.self, toVersion: VoyagesTogether.self) { context in
      for cruise in try context.oldContext.fetch(FetchDescriptor<VoyagesApart.Cruise>()) {
        context.newContext.insert(VoyagesV2.Cruise(name: cruise.name, ship: cruise.ship))
      }
    }
  ]
}

/// Says no more than that the versions follow each other.
enum VoyagesSilentPlan: SchemaMigrationPlan {
  static let schemas: [any VersionedSchema.Type] = [VoyagesApart.self, VoyagesTogether.self]
  static let stages: [MigrationStage] = [
    .lightweight(fromVersion: VoyagesApart.self, toVersion: VoyagesTogether.self)
  ]
}

struct VoyagePlace {
  let url: URL

  static func with(_ body: (VoyagePlace) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "voyages-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Result { try body(VoyagePlace(url: folder.appending(path: "voyages.store"))) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  func open(_ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [ModelConfiguration(url: url)]))
  }
}
