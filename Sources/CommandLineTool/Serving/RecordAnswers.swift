import LivePage
import RecordStore
import StoreInspection
import Tandem

/// The page's questions about records.
struct RecordAnswers {
  private static let mostRows = 200
  /// As many records of each relationship are named; the list of the other entity has all.
  private static let mostLinks = 100

  let stores: ServedStores

  var routes: [PageRoute] {
    [
      PageRoute("records") { try records(PageQuestion(json: $0)) },
      PageRoute("count") { try count(PageQuestion(json: $0)) },
      PageRoute("record") { try record(PageQuestion(json: $0)) },
    ]
  }

  private func arguments(_ question: PageQuestion) throws -> QueryArguments {
    QueryArguments(
      entity: try question.text("entity"), condition: try question.textIfGiven("where"),
      sort: try question.textIfGiven("sort"))
  }

  private func records(_ question: PageQuestion) throws -> JSON {
    let arguments = try arguments(question)
    let count = try question.count("limit", most: RecordAnswers.mostRows)
    return try stores.store(question.text("store")).read { snapshot in
      let query = try arguments.resolved(in: snapshot.catalogue, asTable: true).query
      guard query.sort.count <= 1 else { throw PageRefusal("the page sorts by one field; 'tandem query' by several") }
      let entity = snapshot.catalogue.entities[query.entity]
      let type = query.sort.first.flatMap { $0.path.ordinals.first.map { entity.fields[$0].type } }
      let after = try question.json["after"].flatMap { $0 == .null ? nil : $0 }
        .map { try RecordPage.Position(json: $0, type: type) }
      let page = try RecordPage(query, after: after, count: count, in: snapshot)
      return [
        "columns": .array(entity.shownFields.map(\.pageJSON)),
        "rows": .array(try rows(page.records, entity, in: snapshot)), "next": page.next?.json ?? .null,
        "transaction": .integer(try snapshot.lastTransactionNumber),
      ]
    }
  }

  private func rows(
    _ records: [RecordImage], _ entity: CatalogueEntity, in snapshot: borrowing StoreSnapshot
  ) throws -> [JSON] {
    var cells = CellJSON()
    var rows: [JSON] = []
    for record in records {
      let own = snapshot.catalogue.entities[record.entity]
      var values: [JSON] = []
      for field in entity.shownFields {
        values.append(try own.field(named: field.name).map { try cells.cell(record, $0, in: snapshot) } ?? .null)
      }
      rows.append([
        "id": .string(record.id.description), "entity": .string(own.name), "cells": .array(values),
      ])
    }
    return rows
  }

  private func count(_ question: PageQuestion) throws -> JSON {
    let arguments = try arguments(question)
    return try stores.store(question.text("store")).read { snapshot in
      ["count": .integer(try snapshot.count(arguments.resolved(in: snapshot.catalogue, asTable: true).query))]
    }
  }

  private func record(_ question: PageQuestion) throws -> JSON {
    let id = try question.id()
    return try stores.store(question.text("store")).read { snapshot in
      let record = try RecordFinder.record(id, in: snapshot)
      let entity = snapshot.catalogue.entities[record.entity]
      var cells = CellJSON()
      var fields: [JSON] = []
      for field in entity.shownFields {
        let value = record.value(of: field)
        fields.append(
          field.pageJSON.adding("value", value.editableJSON).adding("long", .bool(value.isTooLongToEdit))
            .adding("missing", .bool(record.isMissing(field)))
            .adding("shown", try cells.cell(record, field, in: snapshot)))
      }
      return [
        "id": .string(record.id.description), "entity": .string(entity.name),
        "name": RecordName.text(of: record, in: snapshot.catalogue).map { .string($0) } ?? .null,
        "fields": .array(fields), "links": .array(try links(of: record, entity, &cells, in: snapshot)),
        "transaction": .integer(try snapshot.lastTransactionNumber),
      ]
    }
  }

  /// The relationships that other records hold.
  private func links(
    of record: RecordImage, _ entity: CatalogueEntity, _ cells: inout CellJSON, in snapshot: borrowing StoreSnapshot
  ) throws -> [JSON] {
    var links: [JSON] = []
    for relationship in entity.relationships where relationship.isHeldByOthers && !relationship.name.hasPrefix("~") {
      let ids = try snapshot.members(of: record.id, record.entity, relationship: relationship)
      var targets: [JSON] = []
      for id in ids.prefix(RecordAnswers.mostLinks) {
        targets.append(try cells.link(id, of: relationship.destination, in: snapshot))
      }
      links.append([
        "name": .string(relationship.name), "destination": .string(relationship.destination),
        "toMany": .bool(relationship.isToMany), "count": .integer(ids.count), "records": .array(targets),
      ])
    }
    return links
  }
}

extension CatalogueEntity {
  /// The fields that an app has as properties, in the order of the schema.
  var shownFields: [CatalogueField] { fields.filter { $0.isForPeople } }
}

extension CatalogueRelationship {
  var isHeldByOthers: Bool { if case .reference = storage { false } else { true } }
}

extension CatalogueField {
  var pageJSON: JSON {
    .members([
      "name": .string(name), "type": .string("\(type)"), "optional": .bool(isOptional),
      "destination": destination.map { .string($0) }, "declared": .bool(isDeclared),
      "number": .bool(type.isNumber), "sortable": .bool(type != .composite && type != .reference),
      "default": defaultValue.map(\.editableJSON),
    ])
  }
}

extension FieldValue {
  /// The whole value as text that ``StatementReader`` reads back; null without one, or where it is too long to be
  /// edited in a browser.
  var editableJSON: JSON { wholeText.map { $0.utf8.count > FieldValue.longest ? .null : .string($0) } ?? .null }

  /// Whether ``editableJSON`` leaves it out.
  var isTooLongToEdit: Bool { (wholeText?.utf8.count ?? 0) > FieldValue.longest }

  private static let longest = 100_000

  private var wholeText: String? {
    switch programJSON {
    case .null: nil
    case .string(let text): isComposite ? programJSON.description : text
    case let json: json.description
    }
  }

  private var isComposite: Bool { if case .composite = self { true } else { false } }
}

extension JSON {
  /// An object with one member more.
  func adding(_ name: String, _ value: JSON) -> JSON { .object((objectValue ?? []) + [Member(name, value)]) }
}
