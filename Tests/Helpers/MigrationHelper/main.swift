import Foundation
import RecordStore
import Tandem

// Another process of an app that migrates its store: `migration-test-helper <command> <store> …`. It says on standard
// output how far it has come and takes its cues from standard input.

let accountCount = 20

func open(_ version: any VersionedSchema.Type, _ path: String, plan: (any SchemaMigrationPlan.Type)? = nil) throws
  -> ModelContainer
{
  let schema = Schema(versionedSchema: version)
  var configuration = ModelConfiguration(schema: schema, url: URL(fileURLWithPath: path))
  configuration.durability = .relaxed
  configuration.timeoutSeconds = 60
  return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
}

/// Nothing of this is buffered: the process may be killed right after it.
func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

func name(of error: any Error) -> String { (error as? StoreError)?.code.description ?? "\(error)" }

/// What a container of the first version sees.
func oldState(_ context: ModelContext) throws -> String {
  let accounts = try context.fetch(FetchDescriptor<BooksV1.Account>())
  let sum = accounts.reduce(0) { $0 + (Int($1.amount) ?? 0) }
  return "v1 \(accounts.count) \(sum)"
}

func newState(_ context: ModelContext) throws -> String {
  let accounts = try context.fetch(FetchDescriptor<BooksV2.Account>())
  let sum = accounts.reduce(0) { $0 + $1.amount }
  return "v2 \(accounts.count) \(sum) \(accounts.filter { $0.note == "was 100" }.count)"
}

func create(_ path: String) throws {
  let context = ModelContext(try open(BooksV1.self, path))
  for number in 0..<accountCount { context.insert(BooksV1.Account(name: "\(number)", amount: "100")) }
  try context.save()
  say("created")
}

/// Migrates, and dies at a point if one is given.
func migrate(_ path: String, _ point: String?) throws {
  let plan = point.flatMap { Int($0) }.map { Interruption.Plan(at: $0, kills: true) }
  try Interruption.$plan.withValue(plan) {
    let container = try open(BooksV2.self, path, plan: BooksPlan.self)
    say("\(try newState(ModelContext(container))) reports \(container.migrationReports.count)")
  }
}

/// What is there, whatever it is.
func audit(_ path: String) throws {
  do {
    say(try oldState(ModelContext(try open(BooksV1.self, path))))
  } catch let error as StoreError where error.code == .backwardMigration {
    say(try newState(ModelContext(try open(BooksV2.self, path))))
  }
}

/// An app of the first version that stays open while another one migrates.
func hold(_ path: String) throws {
  let context = ModelContext(try open(BooksV1.self, path))
  let account = try context.fetch(FetchDescriptor<BooksV1.Account>()).first
  say(try oldState(context))
  while let line = readLine() {
    do {
      switch line {
      case "read": say(try oldState(context))
      default:
        account?.amount = "7"
        try context.save()
        say("saved")
      }
    } catch {
      say(name(of: error))
    }
  }
}

/// An app of the first version that follows the store in every way there is, and says how each stream ends.
@MainActor
func follow(_ path: String) async throws {
  let container = try open(BooksV1.self, path)
  let accounts = try ResultsObserver(sortBy: [SortDescriptor(\BooksV1.Account.name)], modelContainer: container)
  let history = try HistoryObserver(modelContainer: container)
  let (transactions, differences, counted) = (container.changes, accounts.changes, history.transactions)
  say("following \(accounts.results.count)")
  say("changes: \(await end(of: transactions))")
  say("results: \(await end(of: differences)), \(accounts.results.count)")
  say("error: \(accounts.fetchError.map { name(of: $0) } ?? "none")")
  say("history: \(await end(of: counted))")
  say("later: \(await end(of: accounts.changes).prefix(25))")
}

/// How many elements came, and the error after them.
func end<Element>(of stream: AsyncThrowingStream<Element, any Error>) async -> String {
  var count = 0
  do {
    for try await _ in stream { count += 1 }
    return "\(count), then nothing"
  } catch {
    return "\(count), then \(name(of: error)): \(error.localizedDescription)"
  }
}

/// One more account, by an app of the first version.
func add(_ path: String) throws {
  let context = ModelContext(try open(BooksV1.self, path))
  context.insert(BooksV1.Account(name: "another", amount: "1"))
  try context.save()
  say("added")
}

/// One account's identifier, as text.
func identify(_ path: String) throws {
  let accounts = try ModelContext(try open(BooksV1.self, path)).fetch(
    FetchDescriptor<BooksV1.Account>(predicate: #Predicate { $0.name == "7" }))
  for account in accounts { say(try JSONEncoder().encode(account.persistentModelID).base64EncodedString()) }
}

/// The name of the account that a text identifies.
func find(_ path: String, _ text: String) throws {
  let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(base64Encoded: text) ?? Data())
  let model = ModelContext(try open(BooksV2.self, path)).model(for: identifier)
  say((model as? BooksV2.Account)?.name ?? "none")
}

let arguments = CommandLine.arguments
do {
  switch arguments[1] {
  case "create": try create(arguments[2])
  case "migrate": try migrate(arguments[2], arguments.count > 3 ? arguments[3] : nil)
  case "audit": try audit(arguments[2])
  case "hold": try hold(arguments[2])
  case "follow": try await follow(arguments[2])
  case "add": try add(arguments[2])
  case "identify": try identify(arguments[2])
  case "find": try find(arguments[2], arguments[3])
  default: exit(64)
  }
} catch {
  say("error \(name(of: error))")
  exit(1)
}
