public import RecordStore

/// What the world, or a schema, may do to a container or a context: the one error that this module throws. Its message
/// says what to do.
///
/// It is the store's own error by SwiftData's name, so nothing has to be translated on the way up:
///
/// ```swift
/// do {
///   try context.save()
/// } catch let error as SwiftDataError where error.code == .diskFull {
///   show(error.localizedDescription)
/// }
/// ```
/// Matches as in SwiftData, too: `catch SwiftDataError.unknownSchema`, `error == .modelValidationFailure`. Names of
/// SwiftData stand for all codes of their situation there; `code` tells those apart.
public typealias SwiftDataError = StoreError

extension SwiftDataError.Code {
  public static let configurationFileNameContainsInvalidCharacters = Self(
    "configurationFileNameContainsInvalidCharacters")
  public static let configurationFileNameTooLong = Self("configurationFileNameTooLong")
  public static let configurationSchemaNotFoundInContainerSchema = Self("configurationSchemaNotFoundInContainerSchema")
  public static let duplicateConfiguration = Self("duplicateConfiguration")
  public static let includePendingChangesWithBatchSize = Self("includePendingChangesWithBatchSize")
  public static let invalidTransactionFetchRequest = Self("invalidTransactionFetchRequest")
  public static let loadIssueModelContainer = Self("loadIssueModelContainer")
  public static let missingModelContext = Self("missingModelContext")
  public static let modelValidationFailure = Self("modelValidationFailure")
  public static let sortingPendingChangesWithIdentifiers = Self("sortingPendingChangesWithIdentifiers")
  public static let unknownSchema = Self("unknownSchema")
  public static let unsupportedKeyPath = Self("unsupportedKeyPath")
  public static let unsupportedPredicate = Self("unsupportedPredicate")
  public static let unsupportedSortDescriptor = Self("unsupportedSortDescriptor")
  public static let unknownDataStoreSchema = Self("unknownDataStoreSchema")
  /// A model uses something that this library does not store.
  public static let unsupportedSchema = Self("unsupportedSchema")
  /// A once transaction inside another, a save inside one, or one that changes two stores.
  public static let invalidOnceTransaction = Self("invalidOnceTransaction")
  /// A sum that no value of its type holds.
  public static let aggregateOverflow = Self("aggregateOverflow")
  /// A save inside ``ModelContext/withSnapshot(_:)``.
  public static let saveInSnapshot = Self("saveInSnapshot")
  /// An insert of an object that another living context has.
  public static let objectOfAnotherContext = Self("objectOfAnotherContext")
}

// The names of SwiftData, to match against: `catch SwiftDataError.unknownSchema`.
extension SwiftDataError {
  private init(_ code: Code) { self.init(code, code.description) }

  public static let backwardMigration = SwiftDataError(.backwardMigration)
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)

  public static let aggregateOverflow = SwiftDataError(.aggregateOverflow)
  public static let saveInSnapshot = SwiftDataError(.saveInSnapshot)
  public static let objectOfAnotherContext = SwiftDataError(.objectOfAnotherContext)

  /// Whether an error is one of `left`'s situation: what `catch` and `switch` use.
  public static func ~= (left: SwiftDataError, right: any Error) -> Bool {
    (right as? SwiftDataError).map { left ~= $0 } ?? false
  }

  public static func ~= (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left == right || !right.isName && right.otherName == left.code
  }
}

/// By SwiftData's name for what is wrong; messages and causes are for people.
extension SwiftDataError: Hashable {
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// SwiftData has fewer words: one for whatever keeps a store from opening, one for objects that do not fit the rules
  /// of their schema.
  private var name: Code {
    switch code {
    case .incompatibleSchema, .invalidSchema, .notFound, .notAStore, .newerFormat, .olderFormat, .damaged,
      .networkFileSystem, .permissionDenied, .readOnlyFileSystem, .readersFull:
      .loadIssueModelContainer
    case .countViolation, .deleteDenied, .uniquenessViolation: .modelValidationFailure
    default: code
    }
  }

  /// Whether it is one of the names above, which stand for themselves alone.
  private var isName: Bool { message == code.description }

  /// A second situation that the error is one of.
  private var otherName: Code? {
    switch code {
    case .backwardMigration: .loadIssueModelContainer
    case .invalidSchema: .unknownSchema
    default: nil
    }
  }
}
