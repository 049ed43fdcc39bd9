public import Foundation
import LocalizedTexts

extension SubscriptionList {
  /// The columns of a list, in any order. The names are those of the first line.
  enum Column: String, CaseIterable {
    case id
    case name
    case amount
    case frequency
    case nextBillingDate = "next_billing_date"
    case category
    case createdAt = "created_at"
    case billingDay = "billing_day"
    case currency
    case trialUntil = "trial_until"
    case pausedFrom = "paused_from"
    case pausedUntil = "paused_until"
    case endsOn = "ends_on"

    /// A list without ids gets new ones; the others have defaults that follow from the row or the clock.
    var isRequired: Bool {
      switch self {
      case .name, .amount, .frequency, .nextBillingDate, .category: true
      case .id, .createdAt, .billingDay, .currency, .trialUntil, .pausedFrom, .pausedUntil, .endsOn: false
      }
    }
  }

  /// Reads a list with a header line, separated by `,` or `;`.
  ///
  /// Throws `malformedList` with line and column at the first trouble.
  /// - Parameters:
  ///   - text: The whole list.
  ///   - importedAt: The value of `created_at` where the list does not say it.
  public init(csv text: String, importedAt: Date) throws {
    var reader = try CSVReader(text)
    guard let header = try reader.nextRow() else {
      throw SubscriptionError(.malformedList, Sentence(.emptyList), at: TextPosition(line: 1, column: 1))
    }
    let columns = try Self.columns(header)
    var rows = RowCollector()
    while let fields = try reader.nextRow() {
      try rows.append(Row(fields, columns: columns), importedAt: importedAt)
    }
    let hasTerms = columns.contains(.currency)
    self.init(rows.subscriptions, earlierForms: hasTerms ? [] : Set(rows.subscriptions.map(\.id)))
  }

  /// A header line with all columns, then a line a subscription, in the order of the list. ``init(csv:importedAt:)``
  /// reads it back.
  public static func csv(_ subscriptions: [SubscriptionDetails]) -> String {
    var csv = Column.allCases.map(\.rawValue).joined(separator: ",")
    for details in subscriptions {
      var separator = "\n"
      for column in Column.allCases {
        csv += separator
        csv += quoted(details.text(in: column))
        separator = ","
      }
    }
    return csv
  }

  /// A field with a separator, a quote or the end of a line is quoted, its quotes doubled.
  private static func quoted(_ field: String) -> String {
    let isPlain = field.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): false
      default: true
      }
    }
    if isPlain { return field }
    // By scalars: a quote and the accent behind it are one character.
    let doubled = field.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return "\"\(doubled)\""
  }

  private static func columns(_ header: [CSVReader.Field]) throws -> [Column] {
    var columns: [Column] = []
    for field in header {
      guard let column = Column(rawValue: field.text.trimmingCharacters(in: .whitespaces).lowercased()) else {
        let known = Column.allCases.map(\.rawValue).joined(separator: ", ")
        throw failure(Sentence(.noSuchColumn, .text(field.text), .text(known)), at: field.position)
      }
      guard !columns.contains(column) else {
        throw failure(Sentence(.columnTwice, .text(column.rawValue)), at: field.position)
      }
      columns.append(column)
    }
    for column in Column.allCases where column.isRequired && !columns.contains(column) {
      throw failure(Sentence(.columnMissing, .text(column.rawValue)), at: TextPosition(line: 1, column: 1))
    }
    return columns
  }

  /// Refuses an id that an earlier line has: one of the two lines would be lost.
  private struct RowCollector {
    var subscriptions: [SubscriptionDetails] = []
    private var lines: [UUID: Int] = [:]

    mutating func append(_ row: Row, importedAt: Date) throws {
      let details = try row.details(importedAt: importedAt)
      if let line = lines[details.id] {
        throw failure(Sentence(.idInLineAlready, "\(line)"), at: row.position(of: .id))
      }
      lines[details.id] = row.position(of: .name).line
      subscriptions.append(details)
    }
  }

  /// One line of a list, with its fields by column.
  private struct Row {
    private var fields: [Column: CSVReader.Field]

    init(_ row: [CSVReader.Field], columns: [Column]) throws {
      if row.count > columns.count {
        throw failure(Sentence(.tooManyFields, "\(columns.count)"), at: row[columns.count].position)
      }
      if row.count < columns.count, let last = row.last {
        let missing = columns[row.count].rawValue
        throw failure(Sentence(.lineEndsEarly, .text(missing)), at: last.position)
      }
      fields = Dictionary(uniqueKeysWithValues: zip(columns, row))
    }

    func position(of column: Column) -> TextPosition {
      fields[column]?.position ?? TextPosition(line: 1, column: 1)
    }

    func details(importedAt: Date) throws -> SubscriptionDetails {
      let currency = try optional(.currency) { try Currency(code: $0) } ?? .euro
      let schedule = BillingSchedule(
        frequency: try required(.frequency) { try BillingFrequency(named: $0) },
        nextDay: try required(.nextBillingDate) { try CalendarDay(iso: $0) },
        billingDay: try optional(.billingDay) { try SubscriptionList.billingDay($0) })
      return try SubscriptionDetails(
        id: optional(.id) { try SubscriptionList.identifier($0) } ?? UUID(),
        name: required(.name) { try SubscriptionDetails.checkedName($0) },
        amount: required(.amount) { try Amount.parse($0, in: currency) }, schedule: schedule,
        category: required(.category) { try SubscriptionCategory(named: $0) },
        createdAt: optional(.createdAt) { try SubscriptionList.timestamp($0) } ?? importedAt,
        currency: currency, standing: standing())
    }

    private func standing() throws -> Standing {
      func day(_ column: Column) throws -> CalendarDay? { try optional(column) { try CalendarDay(iso: $0) } }
      let until = try day(.pausedUntil)
      let pause = try optional(.pausedFrom) { try Standing.Pause(from: CalendarDay(iso: $0), until: until) }
      return Standing(trialEnd: try day(.trialUntil), pause: pause, endDay: try day(.endsOn))
    }

    /// A value that the list must have; its error gets the field's place.
    private func required<Value>(_ column: Column, _ parse: (String) throws -> Value) throws -> Value {
      let text = fields[column]?.text.trimmingCharacters(in: .whitespaces) ?? ""
      do {
        return try parse(text)
      } catch let error as SubscriptionError {
        throw failure(
          Sentence(.labelled, .text(column.rawValue), .sentence(error.sentence)), at: position(of: column))
      }
    }

    private func optional<Value>(_ column: Column, _ parse: (String) throws -> Value) throws -> Value? {
      let text = fields[column]?.text.trimmingCharacters(in: .whitespaces) ?? ""
      return text.isEmpty ? nil : try required(column, parse)
    }
  }
}

extension SubscriptionDetails {
  fileprivate func text(in column: SubscriptionList.Column) -> String {
    switch column {
    case .id: id.uuidString
    case .name: name
    case .amount: Amount.text(storedPrice)
    case .frequency: schedule.frequency.rawValue
    case .nextBillingDate: schedule.nextDay.description
    case .category: category.rawValue
    case .createdAt: SubscriptionList.text(of: createdAt)
    case .billingDay: "\(schedule.billingDay)"
    case .currency: currency.rawValue
    case .trialUntil: standing.trialEnd?.description ?? ""
    case .pausedFrom: standing.pause?.start.description ?? ""
    case .pausedUntil: standing.pause?.end?.description ?? ""
    case .endsOn: standing.endDay?.description ?? ""
    }
  }
}
