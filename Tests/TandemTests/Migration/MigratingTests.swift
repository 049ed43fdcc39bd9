import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

// The code of the article Migrating.

enum NotesV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    var title: String
    var stars: String
    init(title: String, stars: String) {
      self.title = title
      self.stars = stars
    }
  }
}

enum NotesV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    @Attribute(.unique) var title: String
    var stars: Int
    init(title: String, stars: Int) {
      self.title = title
      self.stars = stars
    }
  }
}

enum NotesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] { [toV2] }

  static let toV2 = MigrationStage.transform(fromVersion: NotesV1.self, toVersion: NotesV2.self) { stage in
    try stage.forEach(NotesV1.Note.self, NotesV2.Note.self) { old, new in
      new.stars = Int(old.stars) ?? 0
    }
  }
}

struct MigratingTests {
  @Test func `the article's code runs as it is written`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appending(path: "notes.store")
    let configuration = ModelConfiguration(url: url)
    let old = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: NotesV1.self), configurations: [configuration]))
    for stars in ["1", "2", "many"] { old.insert(NotesV1.Note(title: "note", stars: stars)) }
    try old.save()

    let reports = try ModelContainer.migrationPreview(
      for: Schema(versionedSchema: NotesV2.self), migrationPlan: NotesPlan.self, configurations: configuration)
    for report in reports { print(report) }

    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV2.self), migrationPlan: NotesPlan.self, configurations: configuration)
    #expect(container.migrationReports.map(\.steps) == reports.map(\.steps))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<NotesV2.Note>()) == 1)
    #expect(try container.store.integrityViolations() == [])

    let store = try RecordStore.open(StoreConfiguration(url: url))
    if let backup = try RecordStore.backups(of: url).last { try store.restore(backup) }
    #expect(try old.fetchCount(FetchDescriptor<NotesV1.Note>()) == 3)
  }
}
