import RecordStore
import StoreInspection

/// Commits what a person asked for by hand, or tells what it would do. A refusal leaves the store as it was.
struct EditSession {
  private let store: RecordStore
  private let author: String?

  init(_ options: StoreOptions, author: String?) throws {
    try self.init(options.access.configuration(try options.location(), isReadOnly: false), author: author)
  }

  init(_ configuration: StoreConfiguration, author: String?) throws {
    var configuration = configuration
    // A person that inserts a value of another record did not mean to change that record.
    configuration.uniqueness = .throw
    store = try RecordStore.open(configuration)
    self.author = author
  }

  func read<Result>(_ body: (borrowing StoreSnapshot) throws -> Result) throws -> Result { try store.read(body) }

  /// `build` gets the snapshot of the commit, and what it returns is true of it.
  func commit<Value: Sendable>(
    _ build: @escaping @Sendable (borrowing StoreSnapshot) throws -> ([RecordChange], Value)
  ) throws -> (EditOutcome, Value) {
    let author = author
    return try sayingThatNothingWasChanged {
      let (result, value) = try store.commit { snapshot in
        let (changes, value) = try build(snapshot)
        return (SaveRequest(author: author, changes: changes), value)
      }
      return (EditOutcome(result, in: try store.read { $0.catalogue }), value)
    }
  }

  /// The changes that a commit would make: it is carried out to its end, and then taken back.
  func preview(_ changes: [RecordChange]) throws -> EditOutcome {
    try sayingThatNothingWasChanged {
      do {
        _ =
          try store.commit { _ in
            (SaveRequest(changes: changes), ())
          } concluding: { snapshot, result, _ in
            throw EditOutcome(result, in: snapshot.catalogue)
          } as (SaveResult, Void)
        preconditionFailure("a commit whose conclusion throws does not return")
      } catch let outcome as EditOutcome {
        return outcome
      }
    }
  }

  private func sayingThatNothingWasChanged<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.code != .commitOutcomeUnknown {
      throw CommandFailure("\(error.message); nothing was changed")
    } catch let failure as CommandFailure {
      throw CommandFailure("\(failure.sentence); nothing was changed", status: failure.status)
    }
  }
}
