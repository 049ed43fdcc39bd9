import Foundation
import RecordStore
import Tandem
import Testing

/// A container in a folder of its own, for the time of a closure; then its store's invariants are checked.
func withContainer<Result>(
  for types: [any PersistentModel.Type] = tripTypes, configure: (inout ModelConfiguration) -> Void = { _ in },
  sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  _ body: (ModelContainer) async throws -> Result
) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
  var configuration = ModelConfiguration(url: folder.appending(path: "test.store"))
  // Tests of power loss have their own place; these only need the order of commits.
  configuration.durability = .relaxed
  configure(&configuration)
  let container = try ModelContainer(for: Schema(types), configurations: [configuration])
  let result = try await body(container)
  #expect(try container.store.integrityViolations() == [], sourceLocation: sourceLocation)
  return result
}

/// As many containers, each in a folder of its own.
func withContainers(
  _ count: Int, for types: [any PersistentModel.Type], configure: (inout ModelConfiguration) -> Void = { _ in },
  after made: [ModelContainer] = [], _ body: ([ModelContainer]) async throws -> Void
) async throws {
  guard made.count < count else { return try await body(made) }
  try await withContainer(for: types, configure: configure) {
    try await withContainers(count, for: types, configure: configure, after: made + [$0], body)
  }
}

/// A second container on the same store, as another process would open it.
func reopened(_ container: ModelContainer, allowsSave: Bool = true) throws -> ModelContainer {
  let configuration = ModelConfiguration(url: container.store.url, allowsSave: allowsSave)
  return try ModelContainer(for: container.schema, configurations: [configuration])
}
