import Foundation
import SwiftData
import Testing

// A store of one's own as WWDC24 shows it: a JSON file of snapshots behind the usual API.

@Model
final class Chore {
  var title: String
  var due: Date
  var isDone = false
  @Relationship(deleteRule: .cascade, inverse: \Step.chore) var steps: [Step] = []

  init(title: String, due: Date) {
    self.title = title
    self.due = due
  }
}

@Model
final class Step {
  var text: String
  var chore: Chore?

  init(text: String) { self.text = text }
}

final class DocumentStoreConfiguration: DataStoreConfiguration {
  typealias Store = DocumentStore

  var name: String
  var schema: Schema?
  var fileURL: URL

  init(name: String, schema: Schema? = nil, fileURL: URL) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
  }

  static func == (lhs: DocumentStoreConfiguration, rhs: DocumentStoreConfiguration) -> Bool {
    lhs.name == rhs.name
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}

final class DocumentStore: DataStore {
  typealias Configuration = DocumentStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  var configuration: DocumentStoreConfiguration
  var name: String
  var schema: Schema
  var identifier: String

  required init(
    _ configuration: DocumentStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    self.name = configuration.name
    self.schema = configuration.schema ?? Schema()
    self.identifier = configuration.fileURL.lastPathComponent
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot>
  where T: PersistentModel {
    let predicate = request.descriptor.predicate
    guard predicate == nil else {
      throw DataStoreError.preferInMemoryFilter
    }
    guard request.descriptor.sortBy.isEmpty else {
      throw DataStoreError.preferInMemorySort
    }
    let objs = try read()
    let snapshots = objs.values.filter { $0.persistentIdentifier.entityName == Schema.entityName(for: T.self) }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: Array(snapshots), relatedSnapshots: objs)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remappedIdentifiers = [PersistentIdentifier: PersistentIdentifier]()
    var stored = try read()

    for snapshot in request.inserted {
      let permanentIdentifier = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
      remappedIdentifiers[snapshot.persistentIdentifier] = permanentIdentifier
    }
    for snapshot in request.inserted {
      guard let permanentIdentifier = remappedIdentifiers[snapshot.persistentIdentifier] else { continue }
      stored[permanentIdentifier] = snapshot.copy(
        persistentIdentifier: permanentIdentifier, remappedIdentifiers: remappedIdentifiers)
    }
    for snapshot in request.updated {
      stored[snapshot.persistentIdentifier] = snapshot.copy(
        persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: remappedIdentifiers)
    }
    for snapshot in request.deleted {
      stored[snapshot.persistentIdentifier] = nil
    }
    try write(stored)
    return DataStoreSaveChangesResult<DefaultSnapshot>(
      for: self.identifier, remappedIdentifiers: remappedIdentifiers)
  }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path(percentEncoded: false)) else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let snapshots = try decoder.decode([DefaultSnapshot].self, from: try Data(contentsOf: configuration.fileURL))
    var result = [PersistentIdentifier: DefaultSnapshot]()
    snapshots.forEach { result[$0.persistentIdentifier] = $0 }
    return result
  }

  private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(snapshots.values.map { $0 }).write(to: configuration.fileURL)
  }
}

@MainActor
struct DocumentStoreTutorialTests {
  private let url = URL.temporaryDirectory.appending(path: "chores-\(UUID().uuidString).json")

  private func launch() throws -> ModelContext {
    let schema = Schema([Chore.self, Step.self])
    let configuration = DocumentStoreConfiguration(name: "Chores", schema: schema, fileURL: url)
    return try ModelContainer(for: schema, configurations: [configuration]).mainContext
  }

  private func fill(_ context: ModelContext) throws {
    for (number, title) in ["Dishes", "Windows", "Attic"].enumerated() {
      let chore = Chore(title: title, due: Date(timeIntervalSince1970: Double(number) * 86_400))
      context.insert(chore)
      chore.steps = (0...number).map { Step(text: "\(title) \($0)") }
    }
    try context.save()
  }

  @Test func `a file keeps what a context saves`() throws {
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
    try fill(try launch())
    let context = try launch()
    let byTitle = FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.title)])
    #expect(try context.fetch(byTitle).map(\.title) == ["Attic", "Dishes", "Windows"])
    #expect(try context.fetch(byTitle).map(\.steps.count) == [3, 1, 2])
    #expect(try context.fetchCount(FetchDescriptor<Step>()) == 6)
    let date = Date(timeIntervalSince1970: 100)
    let later = FetchDescriptor<Chore>(predicate: #Predicate { $0.due > date && !$0.isDone }, sortBy: [.init(\.due)])
    #expect(try context.fetch(later).map(\.title) == ["Windows", "Attic"])
  }

  @Test func `changes and deletes reach the file`() throws {
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
    let context = try launch()
    try fill(context)
    let chores = try context.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.due)]))
    chores[0].isDone = true
    context.delete(chores[1])
    try context.save()
    let again = try launch()
    let found = try again.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.due)]))
    #expect(found.map(\.title) == ["Dishes", "Attic"] && found.map(\.isDone) == [true, false])
    #expect(
      try again.fetch(FetchDescriptor<Step>(sortBy: [.init(\.text)])).map(\.text)
        == ["Attic 0", "Attic 1", "Attic 2", "Dishes 0"])
    #expect(found[1].steps.allSatisfy { $0.chore === found[1] })
    #expect(found.map(\.persistentModelID) == [chores[0].persistentModelID, chores[2].persistentModelID])
  }
}
