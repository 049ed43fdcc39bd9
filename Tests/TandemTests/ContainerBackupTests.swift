import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// Backups of containers: the code of the article Backups.
struct ContainerBackupTests {
  @Model final class Page {
    var text: String
    init(text: String) { self.text = text }
  }

  @Model final class Stamp {
    var name: String
    init(name: String) { self.name = name }
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  @Test func `a container is backed up while it is used, and the backup is a container for reading`() throws {
    try withFolder { folder in
      let url = folder.appendingPathComponent("diary.store")
      let container = try ModelContainer(for: Page.self, configurations: ModelConfiguration("Diary", url: url))
      let context = ModelContext(container)
      context.insert(Page(text: "saved"))
      try context.save()
      context.insert(Page(text: "not saved"))
      let backup = folder.appendingPathComponent("diary.backup")
      let manifests = try container.backup(to: backup)
      #expect(manifests.keys.sorted() == ["Diary"])
      let reader = try ModelContainer(
        for: Page.self, configurations: ModelConfiguration("Diary", url: backup, allowsSave: false))
      #expect(try ModelContext(reader).fetch(FetchDescriptor<Page>()).map(\.text) == ["saved"])
    }
  }

  @Test func `a container with several stores makes a backup of each`() throws {
    try withFolder { folder in
      let pages = ModelConfiguration(
        "pages", schema: Schema([Page.self]), url: folder.appendingPathComponent("pages.store"))
      let rest = ModelConfiguration("rest", url: folder.appendingPathComponent("rest.store"))
      let container = try ModelContainer(for: Schema([Page.self, Stamp.self]), configurations: pages, rest)
      let context = ModelContext(container)
      context.insert(Page(text: "one"))
      context.insert(Stamp(name: "two"))
      try context.save()
      let backups = folder.appendingPathComponent("backups")
      #expect(try container.backup(to: backups, compacting: true).keys.sorted() == ["pages", "rest"])
      for name in ["pages", "rest"] {
        #expect(try BackupManifest(ofBackupAt: backups.appendingPathComponent("\(name).backup"))?.isCompact == true)
      }
    }
  }
}
