import Foundation
import RecordStore
import Tandem
import TestSupport
import Testing

/// A folder for the time of a closure.
func withFolder<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
  let folder = try makeTemporaryFolder()
  defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
  return try await body(folder)
}

/// A container in a folder of its own, for the time of a closure; then its store's invariants are checked.
func withContainer<Result>(
  for types: any PersistentModel.Type..., isolation: isolated (any Actor)? = #isolation,
  _ body: (ModelContainer) async throws -> Result
) async throws -> Result {
  try await withFolder { folder in
    let container = try makeContainer(for: types, at: folder.appending(path: "test.store"))
    let result = try await body(container)
    #expect(try container.store.integrityViolations() == [])
    return result
  }
}

func makeContainer(for types: [any PersistentModel.Type], at url: URL) throws -> ModelContainer {
  var configuration = ModelConfiguration(url: url)
  // Examples need the order of commits alone.
  configuration.durability = .relaxed
  return try ModelContainer(for: Schema(types), configurations: [configuration])
}
