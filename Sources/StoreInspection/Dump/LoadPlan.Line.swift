import RecordStore

extension LoadPlan {
  /// A line with the id that its record gets if it is new.
  struct Line: Sendable {
    enum Content: Sendable {
      case line(RecordLine)
      case typed(TypedRecord)
    }
    let content: Content
    let place: InputPlace
    let newID: RecordID

    init(_ record: RecordLine, number: Int) {
      (content, place) = (.line(record), InputPlace(line: number))
      newID = record.id ?? RecordIDGenerator.shared.next()
    }

    init(_ record: TypedRecord) {
      (content, place, newID) = (.typed(record), record.place, record.id)
    }

    /// The id that the input names.
    var id: RecordID? {
      switch content {
      case .line(let record): record.id
      case .typed(let record): record.id
      }
    }

    var isVisible: Bool {
      if case .line(let record) = content { record.isVisible } else { true }
    }

    var isListed: Bool {
      if case .line(let record) = content { record.isListed } else { true }
    }

    var entityName: String {
      switch content {
      case .line(let record): record.entity
      case .typed(let record): record.entity
      }
    }
  }
}
