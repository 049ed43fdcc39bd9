import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

private enum HouseV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Room.self, Plant.self] }

  @Model final class Room {
    var name: String
    var area: String
    init(name: String, area: String) { (self.name, self.area) = (name, area) }
  }
  @Model final class Plant {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum HouseV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Room.self, Plant.self] }

  @Model final class Room {
    var name: String
    var area: Int = 0
    init(name: String) { self.name = name }
  }
  @Model final class Plant {
    var name: String
    var height: Int = 0
    init(name: String) { self.name = name }
  }
}

private enum HousePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HouseV1.self, HouseV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: HouseV1.self, toVersion: HouseV2.self,
        willMigrate: { context in
          for room in try context.fetch(FetchDescriptor<HouseV1.Room>()) { room.name += " of \(room.area)" }
          try context.delete(model: HouseV1.Plant.self, where: #Predicate { $0.name == "weed" })
        },
        didMigrate: { context in
          for room in try context.fetch(FetchDescriptor<HouseV2.Room>()) { room.area = room.name.count }
          try context.enumerate(FetchDescriptor<HouseV2.Plant>()) { $0.height = 5 }
          _ = try context.fetchCount(FetchDescriptor<HouseV2.Room>())
        })
    ]
  }
}

private enum TransformingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HouseV1.self, HouseV2.self] }
  static var stages: [MigrationStage] {
    [
      .transform(fromVersion: HouseV1.self, toVersion: HouseV2.self) { stage in
        try stage.forEach(HouseV1.Room.self, HouseV2.Room.self) { old, new in new.area = Int(old.area) ?? -1 }
        try stage.forEach(HouseV1.Plant.self, HouseV2.Plant.self) { old, new in new.height = old.name.count }
      }
    ]
  }
}

/// Puts a plant beside each room, which lies in another store.
private enum CrossingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HouseV1.self, HouseV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: HouseV1.self, toVersion: HouseV2.self, willMigrate: nil,
        didMigrate: { context in
          for room in try context.fetch(FetchDescriptor<HouseV2.Room>()) {
            context.insert(HouseV2.Plant(name: room.name))
          }
        })
    ]
  }
}

/// Adds a plant where its store is the one that migrates.
private enum AddingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HouseV1.self, HouseV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: HouseV1.self, toVersion: HouseV2.self, willMigrate: nil,
        didMigrate: { context in
          guard context.container.configurations.contains(where: { $0.name == "plants" }) else { return }
          context.insert(HouseV2.Plant(name: "new"))
        })
    ]
  }
}

private enum StudioV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Setting.self, Sketch.self, Song.self, Tune.self] }

  @Model final class Setting {
    var name: String
    init(name: String) { self.name = name }
  }
  /// Alone in its store's schema, and gone in the next version.
  @Model final class Sketch {
    var text: String
    init(text: String) { self.text = text }
  }
  @Model final class Song {
    var title: String
    @Relationship(inverse: \Verse.song) var verses: [Verse] = []
    init(title: String) { self.title = title }
  }
  /// Gone in the next version; a relationship leads here.
  @Model final class Verse {
    var text: String
    var song: Song?
    init(text: String, song: Song) { (self.text, self.song) = (text, song) }
  }
  /// In one store with the song, and in another one in the next version.
  @Model final class Tune {
    var name: String
    var song: Song?
    init(name: String) { self.name = name }
  }
}

private enum StudioV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Setting.self, Drawing.self, Song.self, Tune.self] }

  @Model final class Setting {
    var name: String
    init(name: String) { self.name = name }
  }
  @Model final class Drawing {
    var text: String
    init(text: String) { self.text = text }
  }
  @Model final class Song {
    var title: String
    var text: String = ""
    init(title: String) { self.title = title }
  }
  @Model final class Tune {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum StudioPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [StudioV1.self, StudioV2.self] }
  static var stages: [MigrationStage] {
    [
      .transform(fromVersion: StudioV1.self, toVersion: StudioV2.self) { stage in
        for sketch in try stage.oldContext.fetch(FetchDescriptor<StudioV1.Sketch>()) {
          stage.newContext.insert(StudioV2.Drawing(text: sketch.text))
        }
        try stage.forEach(StudioV1.Song.self, StudioV2.Song.self) { old, new in
          new.text = old.verses.map(\.text).joined(separator: " ")
        }
      }
    ]
  }
}

/// A plan for a container of several stores. Its stages knew the classes of one store at a time, so that one which
/// fetched a class of each threw, and the container could not be made.
struct SeveralStoresTests {
  private func withHouse(_ body: (_ configurations: (any VersionedSchema.Type) -> [ModelConfiguration]) throws -> Void)
    throws
  {
    let folder = try makeTemporaryFolder()
    let outcome = Result {
      func configurations(_ version: any VersionedSchema.Type) -> [ModelConfiguration] {
        [
          ModelConfiguration("rooms", schema: Schema([version.models[0]]), url: folder.appending(path: "rooms.store")),
          ModelConfiguration("plants", url: folder.appending(path: "plants.store")),
        ]
      }
      let context = ModelContext(
        try ModelContainer(for: Schema(versionedSchema: HouseV1.self), configurations: configurations(HouseV1.self)))
      context.insert(HouseV1.Room(name: "hall", area: "12"))
      for name in ["fern", "weed"] { context.insert(HouseV1.Plant(name: name)) }
      try context.save()
      try body(configurations)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func lines(_ container: ModelContainer) throws -> [String] {
    let context = ModelContext(container)
    let rooms = try context.fetch(FetchDescriptor<HouseV2.Room>()).map { "\($0.name) \($0.area)" }
    let plants = try context.fetch(FetchDescriptor<HouseV2.Plant>()).map { "\($0.name) \($0.height)" }
    return rooms + plants.sorted()
  }

  @Test func `a stage runs for each store, and finds what lies there`() throws {
    for (plan, expected) in [
      (HousePlan.self, ["hall of 12 10", "fern 5"]), (TransformingPlan.self, ["hall 12", "fern 4", "weed 4"]),
      (AddingPlan.self, ["hall 0", "fern 0", "new 0", "weed 0"]),
    ] as [(any SchemaMigrationPlan.Type, [String])] {
      try withHouse { configurations in
        let container = try ModelContainer(
          for: Schema(versionedSchema: HouseV2.self), migrationPlan: plan,
          configurations: configurations(HouseV2.self))
        #expect(try lines(container) == expected)
        #expect(container.migrationReports.count == 2)
        for configuration in configurations(HouseV2.self) {
          try expectSound(RecordStore.open(StoreConfiguration(url: configuration.url)))
        }
      }
    }
  }

  @Test func `an object of another store's class is refused by name, and the store stays as it was`() throws {
    try withHouse { configurations in
      let error = #expect(throws: StoreError.self) {
        try ModelContainer(
          for: Schema(versionedSchema: HouseV2.self), migrationPlan: CrossingPlan.self,
          configurations: configurations(HouseV2.self))
      }
      #expect(error?.code == .readOnly && error?.message.contains("Plant") == true)
      let context = ModelContext(
        try ModelContainer(for: Schema(versionedSchema: HouseV1.self), configurations: configurations(HouseV1.self)))
      #expect(try context.fetch(FetchDescriptor<HouseV1.Room>()).map(\.area) == ["12"])
      #expect(try context.fetchCount(FetchDescriptor<HouseV1.Plant>()) == 2)
    }
  }

  /// All configurations name classes, in any order, so that none of them has the rest. A class that only one version
  /// has was taken to be in the first store: a stage did not find its objects, and a relationship to it ended the
  /// process.
  @Test(arguments: [[0, 1, 2], [1, 2, 0], [2, 1, 0]])
  func `a class that only one version has lies where its links or its objects are`(order: [Int]) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result {
      func container(
        _ version: any VersionedSchema.Type, _ parts: [[any PersistentModel.Type]]
      ) throws -> ModelContainer {
        let configurations = order.filter(parts.indices.contains).map { index in
          ModelConfiguration(
            "\(index)", schema: Schema(parts[index], version: version.versionIdentifier),
            url: folder.appending(path: "\(index).store"))
        }
        return try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: StudioPlan.self, configurations: configurations)
      }
      func first() throws -> ModelContainer {
        try container(
          StudioV1.self, [[StudioV1.Setting.self], [StudioV1.Song.self, StudioV1.Tune.self], [StudioV1.Sketch.self]])
      }
      do {
        let context = ModelContext(try first())
        let song = StudioV1.Song(title: "Okean")
        let tune = StudioV1.Tune(name: "waltz")
        let models: [any PersistentModel] = [
          StudioV1.Setting(name: "key"), song, tune, StudioV1.Sketch(text: "boat"),
        ]
        for model in models { context.insert(model) }
        for text in ["one", "two"] { context.insert(StudioV1.Verse(text: text, song: song)) }
        tune.song = song
        try context.save()
      }
      #expect(try first().migrationReports.isEmpty)
      let second = try container(
        StudioV2.self,
        [[StudioV2.Setting.self, StudioV2.Tune.self], [StudioV2.Song.self], [StudioV2.Drawing.self]])
      let context = ModelContext(second)
      #expect(try context.fetch(FetchDescriptor<StudioV2.Drawing>()).map(\.text) == ["boat"])
      #expect(try context.fetch(FetchDescriptor<StudioV2.Song>()).map(\.text) == ["one two"])
      #expect(try context.fetch(FetchDescriptor<StudioV2.Setting>()).map(\.name) == ["key"])
      #expect(try context.fetchCount(FetchDescriptor<StudioV2.Tune>()) == 0)
      for index in order {
        try expectSound(RecordStore.open(StoreConfiguration(url: folder.appending(path: "\(index).store"))))
      }
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }
}
