import SwiftData

// Three versions of a journal's schema, as an app keeps them: this file knows SwiftData and nothing else.

enum JournalV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Entry.self, Label.self] }

  @Model final class Entry {
    var title: String
    var text: String
    /// "1" to "5".
    var rating: String
    var mood: String?
    var color: String = "red"
    var labels: [Label] = []
    init(title: String, text: String = "", rating: String = "1", mood: String? = nil) {
      self.title = title
      self.text = text
      self.rating = rating
      self.mood = mood
    }
  }

  @Model final class Label {
    var name: String
    init(name: String) { self.name = name }
  }
}

/// `text` is called `body`, `rating` is a number, `mood` is never nil, `color` is gone, `labels` is called `tags`.
enum JournalV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Entry.self, Label.self] }

  @Model final class Entry {
    #Index<Entry>([\.rating])
    var title: String
    @Attribute(originalName: "text") var body: String
    var rating: Int
    var mood: String = "calm"
    var isPinned = false
    @Relationship(originalName: "labels") var tags: [Label] = []
    init(title: String, body: String, rating: Int) {
      self.title = title
      self.body = body
      self.rating = rating
    }
  }

  @Model final class Label {
    var name: String
    init(name: String) { self.name = name }
  }
}

/// Titles are unique.
enum JournalV3: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Entry.self, Label.self] }

  @Model final class Entry {
    #Index<Entry>([\.rating])
    @Attribute(.unique) var title: String
    var body: String
    var rating: Int
    var mood: String = "calm"
    var isPinned = false
    var tags: [Label] = []
    init(title: String, body: String, rating: Int) {
      self.title = title
      self.body = body
      self.rating = rating
    }
  }

  @Model final class Label {
    @Attribute(.unique) var name: String
    init(name: String) { self.name = name }
  }
}

enum JournalPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [JournalV1.self, JournalV2.self, JournalV3.self] }
  static var stages: [MigrationStage] { [toV2, toV3] }

  struct Failure: Error {}

  static let toV2 = MigrationStage.custom(
    fromVersion: JournalV1.self, toVersion: JournalV2.self,
    willMigrate: { context in
      // What has no place in the new schema is noted where the new one finds it.
      for entry in try context.fetch(FetchDescriptor<JournalV1.Entry>()) where Int(entry.rating) == nil {
        entry.text += " (rated \(entry.rating))"
        entry.rating = "0"
      }
      for entry in try context.fetch(FetchDescriptor<JournalV1.Entry>()) {
        entry.text += "|\(entry.rating)"
      }
      try context.save()
    },
    didMigrate: { context in
      for entry in try context.fetch(FetchDescriptor<JournalV2.Entry>()) {
        guard let bar = entry.body.lastIndex(of: "|") else { continue }
        entry.rating = Int(entry.body[bar...].dropFirst()) ?? 0
        entry.body = String(entry.body[..<bar])
      }
      try context.save()
    })

  static let toV3 = MigrationStage.lightweight(fromVersion: JournalV2.self, toVersion: JournalV3.self)
}

/// A store's place for the time of a test.
struct JournalPlace {
  let url: URL

  static func with(_ body: (JournalPlace) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = Result { try body(JournalPlace(url: folder.appending(path: "journal.store"))) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  func open(_ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil) throws -> ModelContext {
    let schema = Schema(versionedSchema: version)
    let configuration = ModelConfiguration(schema: schema, url: url)
    return ModelContext(try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration]))
  }

  /// A journal of the first version.
  func fill(_ entries: (title: String, text: String, rating: String)...) throws {
    let context = try open(JournalV1.self)
    let label = JournalV1.Label(name: "home")
    context.insert(label)
    for entry in entries {
      let made = JournalV1.Entry(title: entry.title, text: entry.text, rating: entry.rating)
      context.insert(made)
      made.labels = [label]
      try context.save()
    }
  }
}
