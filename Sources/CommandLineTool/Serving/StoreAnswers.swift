import LivePage
import RecordStore
import RecordSync
import StoreInspection
import Tandem

/// The page's questions about what there is: stores and devices, the schema, sizes.
struct StoreAnswers {
  let stores: ServedStores
  let isReadOnly: Bool
  let exchangeFolder: String?

  var routes: [PageRoute] {
    [
      PageRoute("stores") { _ in try overview() },
      PageRoute("schema") { try schema(PageQuestion(json: $0)) },
      PageRoute("sizes") { try StoreReport(stores.store(PageQuestion(json: $0).text("store")).reader()).json },
    ]
  }

  private func overview() throws -> JSON {
    [
      "readOnly": .bool(isReadOnly), "version": .string(TandemVersion.current),
      "folder": exchangeFolder.map { .string($0) } ?? .null,
      "devices": .array(
        stores.devices.map { ["path": .string($0.url.path), "name": .string($0.url.lastPathComponent)] }),
      "stores": .array(try stores.all().map { overview(of: $0) }),
    ]
  }

  /// A store that cannot be read is listed with the reason; the others can be used.
  private func overview(of store: ServedStore) -> JSON {
    let names: JSON = [
      "path": .string(store.path), "name": .string(store.name),
      "device": store.device.map { .string($0.lastPathComponent) } ?? .null,
    ]
    do {
      return try store.read { snapshot in
        var entities: [JSON] = []
        for entity in snapshot.catalogue.entities.sorted(by: { $0.name < $1.name })
        where !entity.isJoin && entity.name != KeyValueName.entityName {
          entities.append(try overview(of: entity, in: snapshot))
        }
        return names.adding("entities", .array(entities))
          .adding("transaction", .integer(try snapshot.lastTransactionNumber))
      }
    } catch {
      return names.adding("error", .string(TandemTool.sentence(of: error) ?? String(describing: error)))
    }
  }

  private func overview(of entity: CatalogueEntity, in snapshot: borrowing StoreSnapshot) throws -> JSON {
    let links = entity.relationships.filter { $0.isHeldByOthers && !$0.name.hasPrefix("~") }.map { relationship in
      JSON.members([
        "name": .string(relationship.name), "destination": .string(relationship.destination),
        "toMany": .bool(relationship.isToMany),
      ])
    }
    return [
      "name": .string(entity.name), "declared": .bool(entity.isDeclared),
      "count": .integer(try snapshot.count(RecordQuery(entity: entity.number))),
      "fields": .array(entity.shownFields.map(\.pageJSON)), "links": .array(links),
    ]
  }

  private func schema(_ question: PageQuestion) throws -> JSON {
    let outline = try SchemaOutline(ofAppAt: stores.store(question.text("store")).reader())
    let plain = Terminal.plain
    return [
      "svg": .string(SchemaDiagram(outline).lines.joined(separator: "\n")),
      "text": .array(SchemaText(outline: outline, terminal: plain).lines.map { .string($0) }),
    ]
  }
}
