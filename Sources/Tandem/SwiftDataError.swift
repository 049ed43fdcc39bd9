public import RecordStore

/// The one error that this module throws: what the world, or a schema, may do to a container or a context. Its message
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
  /// A configuration's name has characters that no store's name may have.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    "configurationFileNameContainsInvalidCharacters")
  /// A configuration's name has more than 100 bytes.
  public static let configurationFileNameTooLong = Self("configurationFileNameTooLong")
  /// A configuration names a model that the container does not have, or no configuration holds one that it has.
  public static let configurationSchemaNotFoundInContainerSchema = Self("configurationSchemaNotFoundInContainerSchema")
  /// Two configurations of a container are equal, or name one URL.
  public static let duplicateConfiguration = Self("duplicateConfiguration")
  /// A fetch in batches was asked to include unsaved changes, and there are some.
  public static let includePendingChangesWithBatchSize = Self("includePendingChangesWithBatchSize")
  /// No store of the container has transactions of the type that was asked for, or a token is of another store.
  public static let invalidTransactionFetchRequest = Self("invalidTransactionFetchRequest")
  /// A store cannot be opened. Errors of this library say by another code why not.
  public static let loadIssueModelContainer = Self("loadIssueModelContainer")
  /// Here for sources written for SwiftData: this library does not throw it.
  public static let missingModelContext = Self("missingModelContext")
  /// A value cannot be encoded, or objects do not fit the rules of their schema, for which other codes say which.
  public static let modelValidationFailure = Self("modelValidationFailure")
  /// Here for sources written for SwiftData: this library does not throw it.
  public static let sortingPendingChangesWithIdentifiers = Self("sortingPendingChangesWithIdentifiers")
  /// A class is not in the container's schema, or a schema cannot be read.
  public static let unknownSchema = Self("unknownSchema")
  /// A key path names no stored property that can be used here.
  public static let unsupportedKeyPath = Self("unsupportedKeyPath")
  /// Here for sources written for SwiftData: this library does not throw it.
  public static let unsupportedPredicate = Self("unsupportedPredicate")
  /// Here for sources written for SwiftData: this library does not throw it.
  public static let unsupportedSortDescriptor = Self("unsupportedSortDescriptor")
  /// A snapshot is of a class that no container of this process has.
  public static let unknownDataStoreSchema = Self("unknownDataStoreSchema")
  /// A model uses something that this library does not store.
  public static let unsupportedSchema = Self("unsupportedSchema")
  /// A once transaction inside another, a save inside one, or one that changes two stores.
  public static let invalidOnceTransaction = Self("invalidOnceTransaction")
  /// A sum that no value of its type holds.
  public static let aggregateOverflow = Self("aggregateOverflow")
  /// A save inside ``ModelContext/withSnapshot(_:)``.
  public static let saveInSnapshot = Self("saveInSnapshot")
  /// An insert of an object that another living context has, or a link between objects of two contexts.
  public static let objectOfAnotherContext = Self("objectOfAnotherContext")
}

// The names of SwiftData, to match against: `catch SwiftDataError.unknownSchema`.
extension SwiftDataError {
  private init(_ code: Code) { self.init(code, code.description) }

  /// Matches errors of the code of this name.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// Matches errors of the code of this name.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  /// Matches errors of the code of this name.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// Matches errors of the code of this name.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  /// Matches errors of the code of this name.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// Matches errors of the code of this name.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// Matches errors of the code of this name.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// Matches errors of the code of this name.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// Matches errors of every code for which a store cannot be opened, such as `damaged` or `backwardMigration`.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// Matches errors of the code of this name.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// Matches errors of the code of this name, and `countViolation`, `deleteDenied` and `uniquenessViolation`.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// Matches errors of the code of this name.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// Matches errors of the code of this name, and `invalidSchema`.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// Matches errors of the code of this name.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// Matches errors of the code of this name.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// Matches errors of the code of this name.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// Matches errors of the code of this name.
  public static let unknownDataStoreSchema = SwiftDataError(.unknownDataStoreSchema)

  /// Matches errors of the code of this name.
  public static let aggregateOverflow = SwiftDataError(.aggregateOverflow)
  /// Matches errors of the code of this name.
  public static let saveInSnapshot = SwiftDataError(.saveInSnapshot)
  /// Matches errors of the code of this name.
  public static let objectOfAnotherContext = SwiftDataError(.objectOfAnotherContext)

  /// Whether an error is one of `left`'s situation: what `catch` and `switch` use.
  public static func ~= (left: SwiftDataError, right: any Error) -> Bool {
    (right as? SwiftDataError).map { left ~= $0 } ?? false
  }

  /// Whether an error is one of `left`'s situation.
  public static func ~= (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left == right || !right.isName && right.otherName == left.code
  }
}

/// By SwiftData's name for what is wrong; messages and causes are for people.
extension SwiftDataError: Hashable {
  /// Whether both are of one situation, by SwiftData's names. Messages and causes do not count.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.name == right.name }
  /// Hashes SwiftData's name for the situation.
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
