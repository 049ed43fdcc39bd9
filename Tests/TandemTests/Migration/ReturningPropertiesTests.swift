import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

private enum PostV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Parcel.self, Van.self, Draft.self] }

  @Model final class Parcel {
    var code: String
    var weight: String
    var note: String
    init(code: String, weight: String, note: String) { (self.code, self.weight, self.note) = (code, weight, note) }
  }
  @Model final class Van {
    var name: String
    var parcels: [Parcel] = []
    init(name: String) { self.name = name }
  }
  @Model final class Draft {
    var text: String
    init(text: String) { self.text = text }
  }
}

/// Weights are numbers, and half of the rest is gone.
private enum PostV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Parcel.self, Van.self] }

  @Model final class Parcel {
    var code: String
    var weight: Int = 0
    init(code: String) { self.code = code }
  }
  @Model final class Van {
    var name: String
    init(name: String) { self.name = name }
  }
}

/// As the first version was.
private enum PostV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Parcel.self, Van.self, Draft.self] }

  @Model final class Parcel {
    var code: String
    var weight: String = ""
    var note: String = ""
    init(code: String) { self.code = code }
  }
  @Model final class Van {
    var name: String
    var parcels: [Parcel] = []
    init(name: String) { self.name = name }
  }
  @Model final class Draft {
    var text: String
    init(text: String) { self.text = text }
  }
}

private enum PostPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PostV1.self, PostV2.self, PostV3.self] }
  static var stages: [MigrationStage] { [toNumbers, toTexts] }

  static let toNumbers = MigrationStage.transform(fromVersion: PostV1.self, toVersion: PostV2.self) { stage in
    try stage.forEach(PostV1.Parcel.self, PostV2.Parcel.self) { old, new in new.weight = Int(old.weight) ?? -1 }
  }
  static let toTexts = MigrationStage.transform(fromVersion: PostV2.self, toVersion: PostV3.self) { stage in
    try stage.forEach(PostV2.Parcel.self, PostV3.Parcel.self) { old, new in
      new.weight = "\(old.weight) kg"
      new.note = "weighs \(old.weight)"
    }
    let context = stage.newContext
    for draft in try context.fetch(FetchDescriptor<PostV3.Draft>()) { draft.text = "rewritten" }
    let parcels = try context.fetch(FetchDescriptor<PostV3.Parcel>(sortBy: [SortDescriptor(\.code)]))
    for van in try context.fetch(FetchDescriptor<PostV3.Van>()) { van.parcels = van.name == "b" ? parcels : [] }
  }
}

/// A property that one version gives up and a later one declares again keeps its values in between. They stood against
/// what the later stage wrote, as if another device that migrated before had sent them: all that the stage did was gone
/// without an error.
struct ReturningPropertiesTests {
  private func withPost(_ body: (ModelConfiguration) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result {
      let configuration = ModelConfiguration(url: folder.appending(path: "post.store"))
      let context = ModelContext(
        try ModelContainer(for: Schema(versionedSchema: PostV1.self), configurations: [configuration]))
      let vans = ["a", "b"].map { PostV1.Van(name: $0) }
      for van in vans { context.insert(van) }
      vans[0].parcels = (0..<3).map { PostV1.Parcel(code: "\($0)", weight: "\($0)0", note: "of the first") }
      context.insert(PostV1.Draft(text: "of the first"))
      try context.save()
      try body(configuration)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func open(_ version: any VersionedSchema.Type, _ configuration: ModelConfiguration) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: PostPlan.self, configurations: [configuration])
  }

  @Test(arguments: [false, true])
  func `a stage's writes to what comes back count, also over the values from before`(stopsBetween: Bool) throws {
    try withPost { configuration in
      if stopsBetween {
        let context = ModelContext(try open(PostV2.self, configuration))
        let parcels = try context.fetch(FetchDescriptor<PostV2.Parcel>(sortBy: [SortDescriptor(\.code)]))
        #expect(parcels.map(\.weight) == [0, 10, 20])
        parcels[0].weight = 7
        try context.save()
      }
      let container = try open(PostV3.self, configuration)
      let context = ModelContext(container)
      let parcels = try context.fetch(FetchDescriptor<PostV3.Parcel>(sortBy: [SortDescriptor(\.code)]))
      let first = stopsBetween ? 7 : 0
      #expect(parcels.map(\.weight) == ["\(first) kg", "10 kg", "20 kg"])
      #expect(parcels.map(\.note) == ["weighs \(first)", "weighs 10", "weighs 20"])
      #expect(try context.fetch(FetchDescriptor<PostV3.Draft>()).map(\.text) == ["rewritten"])
      let vans = try context.fetch(FetchDescriptor<PostV3.Van>(sortBy: [SortDescriptor(\.name)]))
      #expect(vans.map { $0.parcels.map(\.code).sorted() } == [[], ["0", "1", "2"]])
      #expect(try container.store.integrityViolations() == [])
    }
  }
}
