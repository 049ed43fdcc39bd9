import SwiftDiagnostics

/// The mistakes in a model, and the words for each.
enum Mistake: DiagnosticMessage {
  case notAClass(kind: String)
  case genericModel
  case contradictoryOptions(String, String)
  case repeatedOption(String)
  case orderedToOne(property: String)
  case missingInitializer(model: String)
  case transientWithoutDefault(property: String)
  case constant(property: String)
  case refusedModifier(String, property: String)
  case overridden(property: String)
  case observed(property: String)
  case wrapped(property: String, wrapper: String)
  case severalBindings
  case destructured
  case optionalTwice(property: String)
  case attributeAndRelationship(property: String)
  case attributeOnTransient(String, property: String)
  case attributeOnUnstored(String)
  case reservedName(String)
  case repeatedUnique
  case repeatedOriginalName(String)
  case keyPathWithoutBrackets(String)
  case otherClass(String, written: String, model: String)
  case unstoredKeyPath(String, property: String)
  case relationshipToValue(property: String, type: String)
  case inverseWithoutClass(property: String)
  case propertyWithoutType(String)
  case unstorableType(property: String, kind: String)
  case localModel
  case conditionalProperty
  case attributeOutsideModel(String)
  case macroOutsideModel(String)
  case groupOfOne
  case notAnActor
  case evaluatedInput(String)
  case predicateWithoutBody
  case predicateOfStatements
  case predicateOfConditions
  case predicateWithoutElse
  case predicateOperator(String)
  case predicateFunction(String)
  case predicateOf

  var message: String {
    switch self {
    case .notAClass(let kind):
      "@Model needs a class, and this is \(kind): declare a class"
    case .genericModel:
      "a model cannot be generic, as an entity has one name and one list of fields: remove the parameters"
    case .contradictoryOptions(let first, let second):
      "'.\(first)' and '.\(second)' contradict each other: remove one"
    case .repeatedOption(let option): "'.\(option)' is given twice: remove one"
    case .orderedToOne(let property):
      "'.ordered' has no effect on '\(property)', which leads to one object at most: remove it"
    case .missingInitializer(let model): "@Model needs an initialiser in '\(model)': add an 'init'"
    case .transientWithoutDefault(let property):
      "transient property '\(property)' needs a default: a fetched object has no other value for it"
    case .constant(let property):
      "persisted property '\(property)' must be a 'var', as its value arrives after initialisation: write 'var'"
    case .refusedModifier(let modifier, let property):
      "'\(modifier)' property '\(property)' cannot be persisted: remove '\(modifier)', or mark it '@Transient'"
    case .overridden(let property):
      "'\(property)' is stored by a superclass already: a subclass can override what it computes, not what it stores"
    case .observed(let property):
      "observers of persisted property '\(property)' never run, as '@Model' replaces its storage: remove them"
    case .wrapped(let property, let wrapper):
      "property '\(property)' with wrapper '@\(wrapper)' cannot be persisted: mark it '@Transient'"
    case .severalBindings: "persisted properties are declared one by one: give each a 'var'"
    case .destructured: "a tuple pattern cannot be persisted: mark it '@Transient'"
    case .optionalTwice(let property):
      "'\(property)' is optional twice, and the store has one nil: remove a '?'"
    case .attributeAndRelationship(let property):
      "'\(property)' is an attribute or a relationship: remove '@Attribute', as '@Relationship' takes its options"
    case .attributeOnTransient(let attribute, let property):
      "'@\(attribute)' has no effect on transient property '\(property)': remove it"
    case .attributeOnUnstored(let attribute): "'@\(attribute)' applies only to stored instance properties: remove it"
    case .reservedName(let name): "a model cannot have a property named '\(name)', a name that '@Model' uses: rename it"
    case .repeatedUnique: "'#Unique' stands once in a model and takes several constraints: merge them"
    case .repeatedOriginalName(let name):
      "'\(name)' is the original name of another property, which gets the values: remove it here"
    case .keyPathWithoutBrackets(let macro): "'#\(macro)' takes lists of key paths: put this one in brackets"
    case .otherClass(let macro, let written, let model):
      "'#\(macro)' in '\(model)' names properties of '\(model)': move it to '\(written)', or name this class"
    case .unstoredKeyPath(let macro, let property):
      "'#\(macro)' names stored properties, and '\(property)' has no field: name what it is computed from"
    case .relationshipToValue(let property, let type):
      "no container opens with '@Relationship' on '\(property)', as '\(type)' is no model: remove it"
    case .inverseWithoutClass(let property):
      "the inverse of '\(property)' needs its class, as in '\\Stop.trip'"
    case .propertyWithoutType(let property):
      "persisted property '\(property)' needs a type: the compiler infers none from what is written"
    case .unstorableType(let property, let kind):
      "'\(property)' has \(kind) type, which the store cannot keep: mark it '@Transient'"
    case .localModel: "a model cannot be declared in a function: move it to the file or into a type"
    case .conditionalProperty:
      "a stored property of a model cannot depend on '#if', as the schema would: mark it '@Transient'"
    case .attributeOutsideModel(let attribute): "'@\(attribute)' belongs to a property of a class with '@Model'"
    case .macroOutsideModel(let name): "'#\(name)' belongs into a class with '@Model'"
    case .groupOfOne: "'#Group' needs two properties or more: a single one moves alone"
    case .notAnActor: "@ModelActor needs an actor, whose executor it provides: write 'actor'"
    case .evaluatedInput(let name):
      "a predicate asks only what is known before it runs; '\(name)' is known inside of it alone"
    case .predicateWithoutBody: "#Predicate needs a closure, which says the condition"
    case .predicateOfStatements: "a predicate is one expression: put other statements before it"
    case .predicateOfConditions: "an 'if' in a predicate either binds optionals or tests conditions, and not both"
    case .predicateWithoutElse: "an 'if' in a predicate needs an 'else'"
    case .predicateOperator(let sign): "a predicate cannot ask '\(sign)': rephrase it, or filter the results"
    case .predicateFunction(let name):
      "a predicate cannot call '\(name)' on what it tests: rephrase it, or filter the results"
    case .predicateOf: "a predicate cannot ask this of what it tests: rephrase it, or filter the results"
    }
  }

  var diagnosticID: MessageID {
    let name = "\(self)".prefix { $0 != "(" }
    return MessageID(domain: "Tandem", id: String(name))
  }

  var severity: DiagnosticSeverity {
    switch self {
    // The compiler accepts these in sources written for SwiftData, a constant in Swift 5, so we warn and go on.
    case .constant, .observed: .warning
    // The name may stand for an array, or for the class itself.
    case .orderedToOne, .otherClass: .warning
    case .relationshipToValue, .repeatedOriginalName: .warning
    default: .error
    }
  }
}

/// The offer of a fix-it, in words.
struct Remedy: FixItMessage {
  let message: String
  let fixItID: MessageID

  init(_ message: String) {
    self.message = message
    fixItID = MessageID(domain: "Tandem", id: message)
  }
}
