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
    },
}

/// Whether `path` matches; `None` when the glob is malformed, absolute or leaves the root.
pub fn glob_matches(glob: &str, path: &str) -> Option<bool> {
    let glob = with_plain_slashes(glob);
    if glob.starts_with('/') {
        return None;
    }
    let mut tokens = parse(&glob)?;
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
    if tokens.is_empty() || tokens == [Token::Character('.', false)] {
        tokens = vec![Token::Any];
    }
    let text = glob.trim_end_matches('/');
    if text.split('/').any(|component| component == "..") {
        return None;
    }
    let any_depth = !is_anchored && !text.contains('/') && tokens.first() != Some(&Token::Deep);
    let start = if any_depth { vec![Token::Deep, Token::Slash] } else { Vec::new() };
    let path: Vec<char> = path.chars().collect();
    let mut at = 0;
    let alternatives = expand(&tokens, &mut at, false);
    Some(alternatives.iter().any(|alternative| matches(&[start.clone(), alternative.clone()].concat(), 0, &path, 0)))
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
    let member = |at: &mut usize| {
        *at += usize::from(characters.get(*at) == Some(&'\\'));
        *at += 1;
        characters.get(*at - 1).copied()
    };
    while at == first || characters.get(at) != Some(&']') {
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
    Some((Token::Class { negated, ranges }, at + 1))
}

/// Every glob without braces that one with braces stands for.
fn expand(tokens: &[Token], at: &mut usize, nested: bool) -> Vec<Vec<Token>> {
    let mut done = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(token) = tokens.get(*at) {
        match token {
            Token::Open => {
                *at += 1;
                let inner = expand(tokens, at, true);
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
    done
}

/// Tries every way in which the tokens from `token` on can stand for the characters from `at` on.
fn matches(tokens: &[Token], token: usize, path: &[char], at: usize) -> bool {
    let Some(current) = tokens.get(token) else { return at == path.len() };
    let character = path.get(at).copied();
    match current {
        Token::Any => {
            matches(tokens, token + 1, path, at)
                || (character.is_some_and(|character| character != '/') && matches(tokens, token, path, at + 1))
        }
        Token::Deep => {
            let begins = token == 0 || tokens[token - 1] == Token::Slash;
            if begins && token + 1 == tokens.len() {
                at < path.len()
            } else if begins && tokens[token + 1] == Token::Slash {
                (at..=path.len())
                    .any(|place| (place == at || path[place - 1] == '/') && matches(tokens, token + 2, path, place))
            } else {
                (at..=path.len()).any(|place| matches(tokens, token + 1, path, place))
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
        Token::Class { negated, ranges } => {
            character != '/' && ranges.iter().any(|&(from, to)| from <= character && character <= to) != *negated
        }
        _ => false,
    }
}
