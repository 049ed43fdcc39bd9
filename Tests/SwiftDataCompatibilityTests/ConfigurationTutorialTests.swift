import Foundation
import SwiftData
import Testing

// Containers as apps configure them: files, copies of a bundle's store, several stores, read-only ones.

@Model
final class City {
  @Attribute(.unique) var name: String
  var population: Int

  init(name: String, population: Int) {
    self.name = name
    self.population = population
  }
}

@Model
final class Favorite {
  var cityName: String
  var addedAt: Date = Date.now

  init(cityName: String) { self.cityName = cityName }
}

/// What stands at the top of many an app.
@MainActor
final class DataController {
  enum StoreKind { case inMemory, onDisk(URL) }

  let container: ModelContainer
  var mainContext: ModelContext { container.mainContext }

  init(_ kind: StoreKind) throws {
    let schema = Schema([City.self, Favorite.self], version: .init(1, 0, 0))
    let configuration =
      switch kind {
      case .inMemory: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      case .onDisk(let url): ModelConfiguration(schema: schema, url: url, cloudKitDatabase: .none)
      }
    container = try ModelContainer(for: schema, configurations: [configuration])
  }
}

@MainActor
struct ConfigurationTutorialTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = URL.temporaryDirectory.appending(path: "configured-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try body(folder)
  }

  @Test func `what a launch saves the next one finds`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "Cities.store")
      do {
        let controller = try DataController(.onDisk(url))
        controller.mainContext.insert(City(name: "Lviv", population: 717_273))
        try controller.mainContext.save()
        #expect(FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
      }
      let controller = try DataController(.onDisk(url))
      #expect(try controller.mainContext.fetch(FetchDescriptor<City>()).map(\.population) == [717_273])
      #expect(controller.container.configurations.first?.url == url)
      #expect(controller.container.schema.entities.map(\.name).sorted() == ["City", "Favorite"])
    }
  }

  @Test func `containers in memory do not share anything`() throws {
    let (first, second) = (try DataController(.inMemory), try DataController(.inMemory))
    first.mainContext.insert(City(name: "Kyiv", population: 2_952_301))
    try first.mainContext.save()
    #expect(try first.mainContext.fetchCount(FetchDescriptor<City>()) == 1)
    #expect(try second.mainContext.fetchCount(FetchDescriptor<City>()) == 0)
  }

  @Test func `a prepared store is opened for reading only`() throws {
    try withFolder { folder in
      let url = folder.appending(path: "Prepared.store")
      do {
        let container = try ModelContainer(for: City.self, configurations: ModelConfiguration(url: url))
        for (name, population) in [("Odesa", 1_010_537), ("Rivne", 243_873)] {
          container.mainContext.insert(City(name: name, population: population))
        }
        try container.mainContext.save()
      }
      let configuration = ModelConfiguration(url: url, allowsSave: false)
      #expect(!configuration.allowsSave)
      let container = try ModelContainer(for: City.self, configurations: configuration)
      let context = ModelContext(container)
      let byPopulation = FetchDescriptor<City>(sortBy: [SortDescriptor(\.population)])
      #expect(try context.fetch(byPopulation).map(\.name) == ["Rivne", "Odesa"])
      context.insert(City(name: "Dnipro", population: 1))
      #expect(#expect(throws: SwiftDataError.self) { try context.save() }?.code == .readOnly)
      context.rollback()
      #expect(try context.fetchCount(byPopulation) == 2)
    }
  }

  @Test func `a store of the bundle is copied at the first launch`() throws {
    try withFolder { folder in
      let bundled = folder.appending(path: "bundled.store")
      let installed = folder.appending(path: "Library/installed.store")
      do {
        let container = try ModelContainer(for: City.self, configurations: ModelConfiguration(url: bundled))
        container.mainContext.insert(City(name: "Poltava", population: 279_593))
        try container.mainContext.save()
      }
      for _ in 0..<2 where !FileManager.default.fileExists(atPath: installed.path(percentEncoded: false)) {
        try FileManager.default.createDirectory(
          at: installed.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: bundled, to: installed)
      }
      let context = try ModelContainer(for: City.self, configurations: ModelConfiguration(url: installed)).mainContext
      context.insert(City(name: "Sumy", population: 256_474))
      try context.save()
      #expect(try context.fetch(FetchDescriptor<City>(sortBy: [.init(\.name)])).map(\.name) == ["Poltava", "Sumy"])
      let original = try ModelContainer(
        for: City.self, configurations: ModelConfiguration(url: bundled, allowsSave: false))
      #expect(try original.mainContext.fetchCount(FetchDescriptor<City>()) == 1)
    }
  }

  @Test func `two configurations keep two files`() throws {
    try withFolder { folder in
      let cities = ModelConfiguration(
        "Cities", schema: Schema([City.self]), url: folder.appending(path: "cities.store"))
      let favorites = ModelConfiguration(
        "Favorites", schema: Schema([Favorite.self]), url: folder.appending(path: "favorites.store"))
      do {
        let container = try ModelContainer(for: City.self, Favorite.self, configurations: cities, favorites)
        container.mainContext.insert(City(name: "Lutsk", population: 215_986))
        container.mainContext.insert(Favorite(cityName: "Lutsk"))
        try container.mainContext.save()
        #expect(Set(container.configurations.map(\.name)) == ["Cities", "Favorites"])
      }
      let alone = try ModelContainer(
        for: Favorite.self, configurations: ModelConfiguration(url: folder.appending(path: "favorites.store")))
      #expect(try alone.mainContext.fetch(FetchDescriptor<Favorite>()).map(\.cityName) == ["Lutsk"])
      let other = try ModelContainer(
        for: City.self, configurations: ModelConfiguration(url: folder.appending(path: "cities.store")))
      #expect(try other.mainContext.fetchCount(FetchDescriptor<City>()) == 1)
    }
  }

  @Test func `some models are kept on disk and some in memory`() throws {
    try withFolder { folder in
      let onDisk = ModelConfiguration(schema: Schema([City.self]), url: folder.appending(path: "disk.store"))
      let inMemory = ModelConfiguration("session", schema: Schema([Favorite.self]), isStoredInMemoryOnly: true)
      for launch in 1...2 {
        let container = try ModelContainer(
          for: Schema([City.self, Favorite.self]), configurations: [onDisk, inMemory])
        container.mainContext.insert(City(name: "City \(launch)", population: launch))
        container.mainContext.insert(Favorite(cityName: "City \(launch)"))
        try container.mainContext.save()
        #expect(try container.mainContext.fetchCount(FetchDescriptor<City>()) == launch)
        #expect(try container.mainContext.fetchCount(FetchDescriptor<Favorite>()) == 1)
      }
    }
  }

  @Test func `the defaults of a configuration`() {
    let standard = ModelConfiguration()
    #expect(standard.allowsSave && !standard.isStoredInMemoryOnly)
    #expect(standard.url.lastPathComponent == "default.store")
    let named = ModelConfiguration("Notes", allowsSave: false, groupContainer: .none, cloudKitDatabase: .none)
    #expect(named.name == "Notes" && named.url.lastPathComponent == "Notes.store" && !named.allowsSave)
    #expect(named.schema == nil)
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(memory.isStoredInMemoryOnly && memory.url == URL(filePath: "/dev/null"))
  }

  @Test func `everything is deleted, and the app goes on`() throws {
    let controller = try DataController(.inMemory)
    let context = controller.mainContext
    for number in 0..<5 { context.insert(City(name: "City \(number)", population: number)) }
    context.insert(Favorite(cityName: "City 3"))
    try context.save()
    try context.delete(model: City.self, where: #Predicate { $0.population < 2 })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<City>(sortBy: [.init(\.population)])).map(\.population) == [2, 3, 4])
    for type in [City.self, Favorite.self] as [any PersistentModel.Type] { try context.delete(model: type) }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<City>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Favorite>()) == 0)
    context.insert(City(name: "City 1", population: 10))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<City>()).map(\.population) == [10])
  }
}
