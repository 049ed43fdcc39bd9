import Synchronization

/// The schema that the user of one handle declared: compared with the store whenever its catalogue has changed, so that
/// a process with an older schema learns of a migration at its next use. Otherwise one load a read.
final class DeclaredSchema: Sendable {
  private let schema = Mutex<StoreSchema?>(nil)
  /// The generation of the catalogue that was compared last; 0 is none.
  private let compared = Atomic<UInt64>(0)

  func set(_ declared: StoreSchema) {
    schema.withLock { $0 = declared }
    compared.store(0, ordering: .releasing)
  }

  @inline(__always)
  func requireUsable(in catalogue: Catalogue) throws {
    if compared.load(ordering: .acquiring) == catalogue.generation { return }
    try compare(with: catalogue)
  }

  private func compare(with catalogue: Catalogue) throws {
    if let schema = schema.withLock({ $0 }) { try CatalogueBuilder.requireUsable(schema, in: catalogue) }
    compared.store(catalogue.generation, ordering: .releasing)
  }
}
