import Foundation
import LMDB

/// The catalogue in table `meta`: generation u64 · CRC-32C u32 of the JSON · JSON.
enum CatalogueTable {
  static let key = [UInt8]("catalogue".utf8)

  /// The generation alone: eight bytes, so each snapshot can be compared with what is known.
  static func generation(in bytes: RawBytes) throws -> UInt64 {
    guard bytes.count >= 12 else { throw damaged("it is cut short") }
    return bytes.load(at: 0, as: UInt64.self)
  }

  static func decode(_ bytes: RawBytes) throws -> Catalogue {
    let generation = try generation(in: bytes)
    let body = bytes.slice(12..<bytes.count)
    guard body.checksum == bytes.load(at: 8, as: UInt32.self) else { throw damaged("its checksum is wrong") }
    let catalogue = try CatalogueReader.read(body) ?? decodeAnyhow(body)
    guard catalogue.generation == generation, isSound(catalogue) else { throw damaged("it contradicts itself") }
    return catalogue
  }

  static func decodeAnyhow(_ json: RawBytes) throws -> Catalogue {
    do {
      return try JSONDecoder().decode(Catalogue.self, from: Data(json.buffer))
    } catch {
      throw StoreError(
        .newerFormat, "the catalogue has a form that this build cannot read: update the app", cause: error)
    }
  }

  static func encode(_ catalogue: Catalogue) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = [UInt8](try encoder.encode(catalogue))
    return [UInt8](byteCount: 12 + json.count) { writer in
      writer.write(catalogue.generation)
      writer.write(json.withRawBytes { $0.checksum })
      json.withUnsafeBytes { writer.write($0) }
    }
  }

  /// Numbers stand at their places, and every ordinal named exists: later code may index without asking.
  private static func isSound(_ catalogue: Catalogue) -> Bool {
    catalogue.entities.enumerated().allSatisfy { number, entity in
      let ordinals = entity.fields.indices
      return entity.number == number && entity.fields.enumerated().allSatisfy { $0 == $1.ordinal }
        && entity.indexes.allSatisfy { $0.components.allSatisfy { ordinals.contains($0.ordinal) } }
        && entity.fieldGroups.allSatisfy { $0.allSatisfy(ordinals.contains) }
        && entity.relationships.allSatisfy { isSound($0.storage, of: entity, in: catalogue) }
    }
  }

  private static func isSound(
    _ storage: CatalogueRelationship.Storage, of entity: CatalogueEntity, in catalogue: Catalogue
  ) -> Bool {
    func exists(_ number: Int, _ ordinal: Int) -> Bool {
      catalogue.entities.indices.contains(number) && catalogue.entities[number].fields.indices.contains(ordinal)
    }
    switch storage {
    case .reference(let ordinal): return exists(entity.number, ordinal)
    case .inverse(let number, let ordinal): return exists(number, ordinal)
    case .join(let number, let near, let far): return exists(number, near) && exists(number, far)
    }
  }

  private static func damaged(_ flaw: String) -> StoreError {
    StoreError(.damaged, "the catalogue of the store is damaged (\(flaw)): restore the store from a copy or by sync")
  }
}
