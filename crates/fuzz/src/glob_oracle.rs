//! A slow glob matcher, written from the rules and from nothing else. `test/support/glob-oracle.ts` states them.

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A character, and whether it was escaped.
    Character(char, bool),
    /// `?`
    One,
    /// `*`
    Any,
    /// `**`
    Deep,
    Slash,
    Open,
    Comma,
    Close,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
        named: Vec<Class>,
    },
}

/// Whether `path` matches; `None` when the glob is malformed, absolute, leaves the root or has a form of other dialects.
pub fn glob_matches(glob: &str, path: &str) -> Option<bool> {
    if glob == "~" || glob.starts_with("~/") {
        return None;
    }
    let glob = with_plain_slashes(glob);
    if glob.starts_with('/') {
        return None;
    }
    let mut tokens = parse(&glob)?;
    if (0..tokens.len()).any(|at| is_extended(&tokens[at..]) || is_range(&tokens[at..])) {
        return None;
    }
    let is_here = |tokens: &[Token]| tokens.starts_with(&[Token::Character('.', false), Token::Slash]);
    let is_anchored = is_here(&tokens);
    while is_here(&tokens) {
        tokens.drain(..2);
        while tokens.first() == Some(&Token::Slash) {
            tokens.remove(0);
        }
    }
    while tokens.last() == Some(&Token::Slash) {
        tokens.pop();
    }
    if tokens == [Token::Character('.', false)] {
        return None;
    }
    if tokens.is_empty() {
        tokens = vec![Token::Any];
    }
    let text = glob.trim_end_matches('/');
    if text.split('/').any(|component| component == "..") {
        return None;
    }
    let any_depth = !is_anchored && !text.contains('/') && tokens != [Token::Deep];
    let start = if any_depth { vec![Token::Deep, Token::Slash] } else { Vec::new() };
    let path: Vec<char> = path.chars().collect();
    let mut at = 0;
    let alternatives = expand(&tokens, &mut at, false)?;
    Some(alternatives.iter().any(|alternative| matches(&[start.clone(), alternative.clone()].concat(), 0, &path, 0)))
}

/// Whether tokens begin with `!(…)`, `@(…)`, `+(…)`, or with `?(…|…)` or `*(…|…)`.
fn is_extended(tokens: &[Token]) -> bool {
    let plain = |character| Token::Character(character, false);
    let [sign, open, rest @ ..] = tokens else { return false };
    let Some(end) = rest.iter().position(|token| *token == plain(')')) else { return false };
    let always = ['!', '@', '+'].into_iter().any(|character| *sign == plain(character));
    let often = matches!(sign, Token::One | Token::Any | Token::Deep);
    *open == plain('(') && (always || (often && rest[..end].contains(&plain('|'))))
}

/// Whether tokens begin with `{1..3}` or `{a..c}`, perhaps with a step.
fn is_range(tokens: &[Token]) -> bool {
    let Some(end) = tokens.iter().position(|token| *token == Token::Close) else { return false };
    if tokens.first() != Some(&Token::Open) {
        return false;
    }
    let text: Option<String> = tokens[1..end]
        .iter()
        .map(|token| if let Token::Character(character, false) = token { Some(*character) } else { None })
        .collect();
    let Some(text) = text else { return false };
    let parts: Vec<&str> = text.split("..").collect();
    let numbers = |parts: &[&str]| parts.iter().all(|part| part.parse::<i64>().is_ok());
    let letters = |parts: &[&str]| {
        parts.iter().all(|part| part.len() == 1 && part.chars().all(|character| character.is_ascii_alphabetic()))
    };
    let has_step = parts.len() == 3 && numbers(&parts[2..]);
    (parts.len() == 2 || has_step) && (numbers(&parts[..2]) || letters(&parts[..2]))
}

/// A slash separates, escaped or not.
fn with_plain_slashes(glob: &str) -> String {
    let mut plain = String::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('/') => plain.push('/'),
            Some(escaped) => plain.extend(['\\', escaped]),
            None => plain.push('\\'),
        }
    }
    plain
}

fn parse(glob: &str) -> Option<Vec<Token>> {
    let characters: Vec<char> = glob.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        at += 1;
        tokens.push(match character {
            '\\' => {
                at += 1;
                Token::Character(*characters.get(at - 1)?, true)
            }
            '[' => {
                let (class, end) = parse_class(&characters, at)?;
                at = end;
                class
            }
            '*' => {
                let is_deep = characters.get(at) == Some(&'*');
                while characters.get(at) == Some(&'*') {
                    at += 1;
                }
                if is_deep { Token::Deep } else { Token::Any }
            }
            '?' => Token::One,
            '/' => Token::Slash,
            '{' => Token::Open,
            ',' => Token::Comma,
            '}' => Token::Close,
            other => Token::Character(other, false),
        });
    }
    Some(tokens)
}

/// Reads a class from the character after its `[`.
fn parse_class(characters: &[char], start: usize) -> Option<(Token, usize)> {
    let mut at = start;
    let negated = matches!(characters.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let first = at;
    let mut ranges = Vec::new();
    let mut named: Vec<Class> = Vec::new();
    let member = |at: &mut usize| {
        *at += usize::from(characters.get(*at) == Some(&'\\'));
        *at += 1;
        characters.get(*at - 1).copied()
    };
    while at == first || characters.get(at) != Some(&']') {
        if let Some((class, end)) = parse_named(characters, at) {
            named.push(class?);
            at = end;
            continue;
        }
        let from = member(&mut at)?;
        let is_range = characters.get(at) == Some(&'-') && characters.get(at + 1).is_some_and(|&next| next != ']');
        let to = if is_range {
            at += 1;
            member(&mut at)?
        } else {
            from
        };
        if to < from {
            return None;
        }
        ranges.push((from, to));
    }
    if let [':', name @ .., ':'] = &characters[start..at]
        && class_of(&name.iter().collect::<String>()).is_some()
    {
        return None;
    }
    Some((Token::Class { negated, ranges, named }, at + 1))
}

/// Whether a character is of a class.
type Class = fn(&char) -> bool;

/// Reads `[:name:]`, `[.name.]` or `[=name=]`: the class, if there is one, and the place after it.
fn parse_named(characters: &[char], at: usize) -> Option<(Option<Class>, usize)> {
    let mark = *characters.get(at + 1).filter(|mark| characters[at] == '[' && [':', '.', '='].contains(mark))?;
    let name: String = characters[at + 2..].iter().take_while(|character| character.is_ascii_alphanumeric()).collect();
    let end = at + 2 + name.len();
    let is_closed = characters.get(end) == Some(&mark) && characters.get(end + 1) == Some(&']');
    (is_closed && !name.is_empty()).then(|| (class_of(&name).filter(|_| mark == ':'), end + 2))
}

fn class_of(name: &str) -> Option<Class> {
    Some(match name {
        "alnum" => char::is_ascii_alphanumeric,
        "alpha" => char::is_ascii_alphabetic,
        "blank" => |character| [' ', '\t'].contains(character),
        "cntrl" => char::is_ascii_control,
        "digit" => char::is_ascii_digit,
        "graph" => char::is_ascii_graphic,
        "lower" => char::is_ascii_lowercase,
        "print" => |character| (' '..='~').contains(character),
        "punct" => char::is_ascii_punctuation,
        "space" => |character| ('\t'..='\r').contains(character) || *character == ' ',
        "upper" => char::is_ascii_uppercase,
        "xdigit" => char::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Every glob without braces that one with braces stands for; `None` if a brace is not closed.
fn expand(tokens: &[Token], at: &mut usize, nested: bool) -> Option<Vec<Vec<Token>>> {
    let mut done = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(token) = tokens.get(*at) {
        match token {
            Token::Open => {
                *at += 1;
                let inner = expand(tokens, at, true)?;
                open = open
                    .iter()
                    .flat_map(|before: &Vec<Token>| inner.iter().map(|after| [before.as_slice(), after].concat()))
                    .collect();
            }
            Token::Close if nested => break,
            Token::Comma if nested => {
                done.append(&mut open);
                open = vec![Vec::new()];
            }
            other => {
                let plain = match other {
                    Token::Close => Token::Character('}', false),
                    Token::Comma => Token::Character(',', false),
                    _ => other.clone(),
                };
                open.iter_mut().for_each(|before| before.push(plain.clone()));
            }
        }
        *at += 1;
    }
    done.append(&mut open);
    (!nested || *at < tokens.len()).then_some(done)
}

/// Tries every way in which the tokens from `token` on can stand for the characters from `at` on.
fn matches(tokens: &[Token], token: usize, path: &[char], at: usize) -> bool {
    let Some(current) = tokens.get(token) else { return at == path.len() };
    let character = path.get(at).copied();
    let is_slash = |token: Option<&Token>| token.is_none_or(|token| *token == Token::Slash);
    let is_alone = is_slash(token.checked_sub(1).map(|before| &tokens[before])) && is_slash(tokens.get(token + 1));
    match current {
        Token::Any | Token::Deep if *current == Token::Any || !is_alone => {
            matches(tokens, token + 1, path, at)
                || (character.is_some_and(|character| character != '/') && matches(tokens, token, path, at + 1))
        }
        Token::Deep => {
            if token + 1 == tokens.len() {
                at < path.len()
            } else {
                (at..=path.len())
                    .any(|place| (place == at || path[place - 1] == '/') && matches(tokens, token + 2, path, place))
            }
        }
        _ => {
            character.is_some_and(|character| matches_one(current, character))
                && matches(tokens, token + 1, path, at + 1)
        }
    }
}

fn matches_one(token: &Token, character: char) -> bool {
    match token {
        Token::Slash => character == '/',
        Token::Character(wanted, _) => *wanted == character,
        Token::One => character != '/',
        Token::Class { negated, ranges, named } => {
            let is_member = ranges.iter().any(|&(from, to)| from <= character && character <= to)
                || named.iter().any(|class| class(&character));
            character != '/' && is_member != *negated
        }
        _ => false,
    }
}
